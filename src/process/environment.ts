import type { Env } from '../config/config.ts'
import { unknownVariables } from '../config/unknown-variables.ts'
import type { Logger } from './logger.ts'

/** An argument of the children of `npm start`, which has read `.env` and logged this for them. */
export const childFlag = '--child'

/** Which `.env` was read, and which variables were probably meant as settings. */
export function logEnvironment(log: Logger, env: Env, envFile: string | null): void {
  if (envFile !== null) log.info({ file: envFile }, `read settings from ${envFile}`)
  for (const { name, nearest, message } of unknownVariables(env)) log.warn({ name, nearest }, message)
}
