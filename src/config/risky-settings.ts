import { realpathSync, statSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { resolve } from 'node:path'
import { reservedKinds } from '../images/kinds.ts'
import type { Env } from './config.ts'
import { doubtfulNames, envFileName } from './env-file.ts'
import { settings } from './settings.ts'
import { isPageKind, prefixOf } from './status-targets.ts'
import { variablesOf } from './unknown-variables.ts'

/* What is valid, but loses its end, exposes a secret, trusts all, takes a reserved name or port, or does nothing. Secrets are never shown. */

export interface RiskySetting {
  /** The variable, or `.env`. */
  readonly name: string
  readonly message: string
}

/** Mounted for this container alone; Docker gives them mode 0444. */
const containerSecrets = '/run/secrets/'

export function riskySettings(env: Env): RiskySetting[] {
  const known = variablesOf(env)
  const secretFiles = Object.entries(env).filter(([name]) => name.endsWith('_FILE') && known.has(name))
  const files: (readonly [string, string | undefined])[] = [[envFileName, envFileName], ...secretFiles]
  const exposed = files.flatMap(([name, path]) => {
    if (!path || !othersMayRead(path)) return []
    return [{ name, message: `${name}: other users of this machine may read ${resolve(path)}; run chmod o= on it` }]
  })
  return [
    ...doubtfulOf(known),
    ...exposed,
    ...trustOf(env),
    ...samePortsOf(env),
    ...reservedNamesOf(env),
    ...uselessRemindersOf(env),
    ...uselessKeysOf(env),
    ...homeFolderOf(env),
    ...misspeltTlsOf(env),
  ]
}

function doubtfulOf(known: ReadonlySet<string>): RiskySetting[] {
  const { cut, repeated } = doubtfulNames()
  const say = (names: ReadonlySet<string>, what: string) =>
    Array.from(names, (name) => ({ name, message: `${name}: in ${envFileName}, ${what}` }))
  return [
    ...say(cut, 'a comment begins at #; put the value in quotes if it contains #'),
    ...say(repeated.intersection(known), 'it is set more than once; of these, the last one counts'),
  ]
}

function uselessKeysOf(env: Env): RiskySetting[] {
  if (env.S3_ENDPOINT) return []
  return (['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const)
    .filter((name) => env[name] || env[`${name}_FILE`])
    .map((name) => ({ name, message: `${name} is ignored: without S3_ENDPOINT, the images are in DATA_DIR` }))
}

function homeFolderOf({ DATA_DIR }: Env): RiskySetting[] {
  if (!DATA_DIR?.startsWith('~')) return []
  const message = `DATA_DIR: ~ is not your home here, but a folder of that name: ${resolve(DATA_DIR)}`
  return [{ name: 'DATA_DIR', message }]
}

/** The driver ignores parameters that it does not know, and then connects without TLS. */
function misspeltTlsOf(env: Env): RiskySetting[] {
  return (['DATABASE_URL', 'STATUS_DATABASE_URL'] as const).flatMap((name) => {
    const parameters = URL.parse(env[name] ?? '')?.searchParams.keys() ?? []
    const wrong = [...parameters].filter((each) => /^ssl[-_]?mode$/i.test(each) && each !== 'sslmode')
    return wrong.map((each) => ({ name, message: `${name}: ${each} is ignored; the parameter is sslmode` }))
  })
}

function trustOf({ TRUST_PROXY: text }: Env): RiskySetting[] {
  const trusted = settings.TRUST_PROXY.format.read(text ?? '')
  const everyone = trusted?.cidrs.find((cidr) => cidr.endsWith('/0'))
  if (everyone === undefined) return []
  const message = `TRUST_PROXY: ${everyone} trusts every address: each client can choose its own with X-Forwarded-For, and so escape the rate limits; name only your proxies`
  return [{ name: 'TRUST_PROXY', message }]
}

function samePortsOf(env: Env): RiskySetting[] {
  const portOf = (name: 'PORT' | 'STATUS_PORT') => settings[name].format.read(env[name] || settings[name].default)
  const port = portOf('PORT')
  const hosts = new Set((['HOST', 'STATUS_HOST'] as const).map((name) => env[name] || settings[name].default))
  const areApart = hosts.size === 2 && [...hosts].every((host) => isIPv4(host) && host !== '0.0.0.0')
  if (port !== portOf('STATUS_PORT') || areApart) return []
  return [
    {
      name: 'STATUS_PORT',
      message: `STATUS_PORT: ${port} is PORT too; on one machine, only one of the two programs can listen there`,
    },
  ]
}

function reservedNamesOf({ IMAGE_KINDS_EXTRA: text }: Env): RiskySetting[] {
  const kinds = settings.IMAGE_KINDS_EXTRA.format.read(text ?? '') ?? []
  const taken = kinds.filter((kind) => reservedKinds.has(kind))
  if (taken.length === 0) return []
  const message = `IMAGE_KINDS_EXTRA: ${taken.join(' and ')} ${taken.length > 1 ? 'are' : 'is'} reserved; the images are served and chosen as before, but GET /images/tags lists tags, not the images of a kind of that name. Store them under another kind`
  return [{ name: 'IMAGE_KINDS_EXTRA', message }]
}

function uselessRemindersOf(env: Env): RiskySetting[] {
  const targets = settings.STATUS_TARGETS.format.read(env.STATUS_TARGETS ?? '') ?? []
  return targets.map(prefixOf).flatMap((prefix) => {
    const [name, kind] = [`${prefix}_REMINDER`, env[`${prefix}_KIND`] ?? '']
    if (!env[name] || !isPageKind(kind)) return []
    return [{ name, message: `${name} is ignored: ${kind} is not reminded` }]
  })
}

/** By its mode alone, as with jwt-secret: folders can be opened, and files moved. A missing file is no risk. */
function othersMayRead(path: string): boolean {
  if (process.platform === 'win32') return false
  try {
    const file = realpathSync(path)
    return !file.startsWith(containerSecrets) && (statSync(file).mode & 0o004) !== 0
  } catch {
    return false
  }
}
