import type { Env } from './config.ts'
import type { Settings } from './parser.ts'
import { settings } from './settings.ts'
import { settingsOfTargets } from './status-targets.ts'

const prefixes = ['DATABASE_', 'OWNER_', 'RATE_LIMIT_', 'S3_', 'STATUS_', 'UPLOAD_']

/** One letter away from HOST or PORT, but real words. */
const words = ['COST', 'FORT', 'GHOST', 'HOSTS', 'LOST', 'MOST', 'PART', 'PORTS', 'POST', 'SORT', 'SPORT', 'VHOST']

/** Set by Marathon and others for processes with several ports. */
const numbered = /^(?:HOST|PORT)\d$/

/** Set by Kubernetes for a service called `status` or `s3`. */
const ofKubernetes = /_SERVICE_(?:HOST|PORT)(?:_\w+)?$|_PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?)?$/

/** Variables that look like settings but are not, with the setting that was probably meant. No value is ever shown. */
export function unknownVariables(env: Env) {
  const known = variablesOf(env)
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || known.has(name) || words.includes(name) || numbered.test(name) || ofKubernetes.test(name)) return []
    const inCapitals = name.toUpperCase()
    const oneEditAway = known.has(inCapitals) ? inCapitals : [...known].find((setting) => isOneEdit(name, setting))
    const [, target] =
      /^STATUS_TARGET_([A-Z][A-Z0-9_]*)_(?:KIND|URL|TOKEN|COMPONENTS|REMINDER|FROM|TO)(?:_FILE)?$/.exec(name) ?? []
    if (oneEditAway === undefined && target !== undefined) {
      const message = `${name} is ignored: STATUS_TARGETS does not name ${target.toLowerCase()}`
      return [{ name, nearest: 'STATUS_TARGETS', message }]
    }
    const prefix = prefixes.find((one) => name.startsWith(one))
    const nearest = oneEditAway ?? (prefix === undefined ? null : nearestOf(name, prefix, known))
    return nearest === null ? [] : [{ name, nearest, message: `${name} is not a setting; did you mean ${nearest}?` }]
  })
}

/** All that are read, those of the targets and `NAME_FILE` included. */
export function variablesOf(env: Env): ReadonlySet<string> {
  const targets = settings.STATUS_TARGETS.format.read(env.STATUS_TARGETS ?? '') ?? []
  return namesOf({ ...settings, ...settingsOfTargets(targets) })
}

const namesOf = (all: Settings) =>
  new Set(
    Object.entries(all).flatMap(([name, { secret }]) =>
      name.includes('<') ? [] : secret ? [name, `${name}_FILE`] : [name],
    ),
  )

/** One letter added, missing or different, or two swapped. */
function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  return (x.length <= 1 && y.length <= 1) || (x.length === 2 && y.length === 2 && x[0] === y[1] && x[1] === y[0])
}

function nearestOf(name: string, prefix: string, known: ReadonlySet<string>): string {
  const [nearest = ''] = [...known]
    .filter((setting) => setting.startsWith(prefix))
    .map((setting) => ({ setting, distance: setting.startsWith(name) ? 1 : distanceOf(name, setting) }))
    .sort((a, b) => a.distance - b.distance)
    .map(({ setting }) => setting)
  return nearest
}

/** The Levenshtein distance. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const letter of a) {
    const above = row
    row = [(above[0] ?? 0) + 1]
    for (let index = 0; index < b.length; index++) {
      const replaced = (above[index] ?? 0) + (letter === b[index] ? 0 : 1)
      row.push(Math.min(replaced, (above[index + 1] ?? 0) + 1, (row[index] ?? 0) + 1))
    }
  }
  return row.at(-1) ?? 0
}
