import { builtInKinds, type Kinds } from '../images/kinds.ts'
import { loadEnvFile } from './env-file.ts'
import { readSettings, type Values } from './parser.ts'
import { settings } from './settings.ts'
import { readTargets, type StatusTarget, settingsOfTargets } from './status-targets.ts'

export type Config = Values<typeof settings> & {
  readonly imageKinds: Kinds
  readonly statusTargets: readonly StatusTarget[]
}
export type Env = Readonly<Record<string, string | undefined>>

/** The environment of this process: nothing else reads process.env. */
export const environment = (): Env => process.env

/** Set by our Dockerfile. A browser reaches a published port from the gateway of the container, not over loopback. */
export const isInContainer = () => Boolean(process.env.MENAGERIE_IMAGE)

/** Adds the variables of `.env` to the environment of this process. Returns the file's path, if it exists. */
export const loadEnvironment = (): string | null => loadEnvFile(process.env)

/** Throws BadSetting for invalid values. */
export function readConfig(env: Env = process.env): Config {
  const targets = settings.STATUS_TARGETS.format.read(env.STATUS_TARGETS ?? '') ?? []
  // Those of targets too, so that all that are invalid are named at once.
  readSettings({ ...settings, ...settingsOfTargets(targets) }, env)
  const values = readSettings(settings, env)
  return {
    ...values,
    imageKinds: builtInKinds.union(new Set(values.IMAGE_KINDS_EXTRA)),
    statusTargets: readTargets(values, targets, env),
  }
}

/**
 * libuv reads the first when its first thread starts: hashes take two threads, files the rest. The C library reads the
 * second when it first resolves a name: by default, it waits 10 s for an unresponsive DNS server, far longer than we
 * wait for a connection.
 */
export function tuneThreads(): void {
  process.env.UV_THREADPOOL_SIZE ||= '8'
  process.env.RES_OPTIONS ||= 'timeout:2 attempts:1'
}

/** Values of settings that messages and documents contain as `<NAME>`. */
export const textsOf = ({ MAINTAINER, PASSWORD_MIN_LENGTH, imageKinds }: Config): Record<string, string> => ({
  KINDS: [...imageKinds].join(', '),
  MAINTAINER,
  PASSWORD_MIN_LENGTH: String(PASSWORD_MIN_LENGTH),
})

export const isDevelopment = (config: Config) => config.NODE_ENV === 'development'
export const baseUrlOf = (config: Config, port: number) =>
  isDevelopment(config) || config.BASE_URL === null ? `http://localhost:${port}` : config.BASE_URL
