import { readSettings, type Values } from './parser.ts'
import { settings } from './settings.ts'

export type Config = Values<typeof settings>
export type Env = Readonly<Record<string, string | undefined>>

/** What this process was started with: the other programs' one way to it. */
export const environment = (): Env => process.env

/** Throws BadSetting on the first value that no start is possible with. */
export function readConfig(env: Env = process.env): Config {
  return readSettings(settings, env)
}

/** libuv reads this when its first thread starts: hashes may take two, files keep the rest. */
export function widenThreadPool(env: NodeJS.ProcessEnv = process.env): void {
  env.UV_THREADPOOL_SIZE ||= '8'
}

/** Values of the settings that messages and documents name as `<NAME>`. */
export const textsOf = ({ MAINTAINER, PASSWORD_MIN_LENGTH }: Config): Record<string, string> => ({
  MAINTAINER,
  PASSWORD_MIN_LENGTH: String(PASSWORD_MIN_LENGTH),
})

export const isDevelopment = (config: Config) => config.NODE_ENV === 'development'
export const baseUrlOf = (config: Config, port: number) =>
  isDevelopment(config) || config.BASE_URL === null ? `http://localhost:${port}` : config.BASE_URL
