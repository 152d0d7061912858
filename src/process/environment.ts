import type { Env } from '../config/config.ts'
import { riskySettings } from '../config/risky-settings.ts'
import { unknownVariables } from '../config/unknown-variables.ts'
import type { Logger } from './logger.ts'

/** Passed to the children of `npm start`, which has already read `.env` and logged this for them. */
export const childFlag = '--child'

export const hasWarnings = (env: Env): boolean => unknownVariables(env).length > 0 || riskySettings(env).length > 0

/** Logs which `.env` was read, which variables were probably meant to be settings, and which settings are a risk. */
export function logEnvironment(log: Logger, env: Env, envFile: string | null): void {
  if (envFile !== null) log.info({ file: envFile }, `read settings from ${envFile}`)
  for (const { name, nearest, message } of unknownVariables(env)) log.warn({ name, nearest }, message)
  for (const { name, message } of riskySettings(env)) log.warn({ name }, message)
}
