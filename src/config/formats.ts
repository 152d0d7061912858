import { isIP } from 'node:net'
import { isUsername, usernameForm } from '../accounts/username.ts'
import { isBucketName } from '../images/bucket-name.ts'
import { builtInKinds, isKindName, type Kind, maxKinds } from '../images/kinds.ts'
import { type Allowed, type Networks, parseAllowed, parseNetworks } from '../lib/address.ts'
import { type CronSchedule, cronProblem } from '../lib/cron.ts'
import { readFlag, readWholeNumber } from '../lib/read-text.ts'
import { isTimeZone } from '../lib/time-zone.ts'
import { dayMs } from '../lib/timestamps.ts'
import { type Format, setting } from './parser.ts'

export const text = (expected = 'any text'): Format<string> => ({ expected, read: (value) => value })

/** A setting without a default that is never shown. */
export const secretText = (help: string) => setting({ format: text(), default: null, secret: true, help })

export const matching = (pattern: RegExp, expected: string): Format<string> => ({
  expected,
  read: (value) => (pattern.test(value) ? value : undefined),
})

export const wholeNumber = (min: number, max: number): Format<number> => ({
  expected: `a whole number from ${min} to ${max}`,
  read: readWholeNumber(min, max),
})

const maxWidth = 16_383

/** Ascending. */
export const widths: Format<readonly number[]> = {
  expected: `1 to 20 comma-separated whole numbers from 1 to ${maxWidth}, each once`,
  read(value) {
    const found = value.split(',').map((part) => readWholeNumber(1, maxWidth)(part.trim()))
    const all = [...new Set(found.filter((width) => width !== undefined))].sort((one, other) => one - other)
    return all.length === found.length && all.length <= 20 ? all : undefined
  },
}

export const port: Format<number> = { ...wholeNumber(1, 65_535), expected: 'a port from 1 to 65535' }

export const username: Format<string> = {
  expected: `${usernameForm.minLength} to ${usernameForm.maxLength} letters, digits, underscores, hyphens and dots`,
  read: (value) => (isUsername(value) ? value : undefined),
}

export const bucketName: Format<string> = {
  expected: 'a bucket name: 3 to 63 lowercase letters, digits, dots and hyphens',
  read: (value) => (isBucketName(value) ? value : undefined),
}

export const flag: Format<boolean> = { expected: 'true or false', read: readFlag }

export const choice = <const T extends readonly string[]>(values: T): Format<T[number]> => ({
  expected: `one of ${values.join(', ')}`,
  read: (value) => (values.includes(value) ? value : undefined),
})

export const host: Format<string> = {
  expected: 'a host name or an IP address',
  read: (value) =>
    isIP(value) || /^(?=.{1,253}$)[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$/.test(value) ? value : undefined,
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: dayMs }

/** Entries separated by commas. */
const list = <T>(
  expected: string,
  read: (entry: string) => T | undefined,
  isValid: (all: readonly T[]) => boolean = () => true,
): Format<readonly T[]> => ({
  expected,
  read(value) {
    const all = value.split(',').map((part) => read(part.trim()))
    return all.every((entry) => entry !== undefined) && isValid(all) ? all : undefined
  },
})

const areDistinct = (all: readonly string[]) => new Set(all).size === all.length

export const hosts = list('comma-separated host names, without ports', host.read)

export const extraKinds = list<Kind>(
  `comma-separated names of 1 to 32 lower-case letters, digits and hyphens, each once, at most ${maxKinds - builtInKinds.size}; not random, ${[...builtInKinds].join(', ')}`,
  (name) => (isKindName(name) && !builtInKinds.has(name) ? name : undefined),
  (names) => areDistinct(names) && names.length <= maxKinds - builtInKinds.size,
)

/** In milliseconds. At most ten years, so that no date overflows. */
export const duration: Format<number> = {
  expected: 'a duration such as 90s, 15m, 12h or 30d, from 1s to 3650d',
  read(value) {
    const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(value) ?? []
    const ms = Number(count) * (unitMs[unit] ?? 0)
    return ms >= 1000 && ms <= 3650 * dayMs ? ms : undefined
  },
}

/** Keeps a path, and drops a trailing slash. */
export const httpUrl: Format<string> = {
  expected: 'an absolute http or https URL without query, fragment or credentials',
  read(value) {
    const url = URL.parse(value)
    if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
      return undefined
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  },
}

export const httpUrls = list(`${httpUrl.expected}; several are separated by commas`, httpUrl.read)

/** Kept exactly as written, with a trailing slash or query. */
export const pageUrl: Format<string> = {
  expected: 'an absolute http or https URL without fragment or credentials',
  read(value) {
    const url = URL.parse(value)
    const isPlain = url && /^https?:$/.test(url.protocol) && !url.hash && !url.username && !url.password
    return isPlain ? value.trim() : undefined
  },
}

export const urlWithScheme = (...schemes: readonly string[]): Format<string> => ({
  expected: `a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  read(value) {
    const url = URL.parse(value)
    return url && schemes.includes(url.protocol.slice(0, -1)) && (url.hostname || url.searchParams.has('host'))
      ? value
      : undefined
  },
})

export const networks: Format<Networks> = {
  expected: 'comma-separated addresses or CIDRs, or loopback',
  read(value) {
    try {
      const found = parseNetworks(value)
      return found.cidrs.length > 0 ? found : undefined
    } catch {
      return undefined
    }
  },
}

/** With exclusions; a list of exclusions alone is taken from the default. */
export const allowed = (byDefault: string): Format<Allowed> => ({
  expected: 'comma-separated addresses or CIDRs, or loopback; with ! in front, or !gateway, exclusions from them',
  read(value) {
    try {
      const found = parseAllowed(value, byDefault)
      return /[^\s,]/.test(value) ? found : undefined
    } catch {
      return undefined
    }
  },
})

/** A name or an address: URL.parse accepts wildcards, which no browser sends. */
const originHost = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?)$/

function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && url.origin === text && /^https?:$/.test(url.protocol) && originHost.test(url.hostname)
}

const someOrigins = list('comma-separated origins without wildcards, such as https://example.org', (text) =>
  isOrigin(text) ? text : undefined,
)
export const origins: Format<readonly string[] | '*'> = {
  expected: `* or ${someOrigins.expected}`,
  read: (value) => (value.trim() === '*' ? '*' : someOrigins.read(value)),
}

/** Like pageUrl, or a mail server. */
export const targetUrl: Format<string> = {
  expected: `${pageUrl.expected}, or smtp://user@host:port or smtps://user@host:port`,
  read(value) {
    const { protocol, hostname, password, pathname, search, hash } = URL.parse(value) ?? {}
    const isSmtp = protocol === 'smtp:' || protocol === 'smtps:'
    if (!isSmtp) return pageUrl.read(value)
    return hostname && !password && !search && !hash && /^\/?$/.test(pathname ?? '') ? value : undefined
  },
}

/** Not `default`, which is the target of STATUS_SERVICE_*. */
export const targetNames = list(
  'comma-separated names of a-z, 0-9 and _, each once; default is reserved',
  (name) => (/^[a-z][a-z0-9_]{0,31}$/.test(name) && name !== 'default' ? name : undefined),
  areDistinct,
)

const componentPattern = /^\s*([A-Za-z0-9][A-Za-z0-9._-]{0,63})(?:=([^\s,]+))?\s*$/

/** A component without an external name has the value ''. */
export const componentMap: Format<ReadonlyMap<string, string>> = {
  expected: 'comma-separated pairs such as api=abc123, database=def456, or components such as api, database, each once',
  read(value) {
    const pairs = value.split(',').map((part) => componentPattern.exec(part))
    const found = new Map(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']))
    return pairs.every((pair) => pair !== null) && found.size === pairs.length ? found : undefined
  },
}

type Timeout = { readonly graceMs: number | null } & (
  | { readonly timeoutMs: number; readonly cron?: undefined }
  | { readonly cron: CronSchedule; readonly timeoutMs?: undefined }
)

const maxTimeoutMs = 31 * dayMs
const readTimeoutMs = (text: string): number | undefined => {
  const ms = duration.read(text)
  return ms !== undefined && ms <= maxTimeoutMs ? ms : undefined
}

/** Five fields or a name, and the time zone after them. */
function readCron(text: string): CronSchedule | undefined {
  const words = text.trim().split(/\s+/)
  const count = words[0]?.startsWith('@') ? 1 : 5
  const expression = words.slice(0, count).join(' ')
  const [tz = 'UTC', ...rest] = words.slice(count)
  return rest.length === 0 && isTimeZone(tz) && cronProblem(expression) === null ? { expression, tz } : undefined
}

const timeoutPattern = /^\s*([A-Za-z0-9][A-Za-z0-9._-]{0,63})=(?:cron\(([^()]*)\)|([^\s+]+))(?:\+([^\s+]+))?\s*$/

export const timeouts: Format<ReadonlyMap<string, Timeout>> = {
  expected:
    'comma-separated pairs such as backup=26h, api=90s+30s or report=cron(0 3 * * 1-5 Europe/Berlin)+15m, each component once, times from 1s to 31d',
  read(value) {
    const found = new Map<string, Timeout>()
    // Not at the commas of a cron expression.
    for (const entry of value.split(/,(?![^(]*\))/)) {
      const [, id = '', expression, timeout = '', grace] = timeoutPattern.exec(entry) ?? []
      const graceMs = grace === undefined ? null : readTimeoutMs(grace)
      const cron = expression === undefined ? undefined : readCron(expression)
      const timeoutMs = readTimeoutMs(timeout)
      if (graceMs === undefined || found.has(id)) return undefined
      if (cron) found.set(id, { cron, graceMs })
      else if (timeoutMs !== undefined) found.set(id, { timeoutMs, graceMs })
      else return undefined
    }
    return found
  },
}

export const utf8Bytes = (min: number): Format<string> => ({
  expected: `at least ${min} bytes of UTF-8`,
  read: (value) => (Buffer.byteLength(value) >= min ? value : undefined),
})

export const redisUrl = urlWithScheme('redis', 'rediss')

export const logoPath = matching(/\.(png|webp)$/i, 'the path of a .png or .webp file')
