import { appendFileSync, readFileSync } from 'node:fs'
import { after, before } from 'node:test'

const variable = 'MENAGERIE_TIMES_FILE'

/** Milliseconds: CPU of this process, on Linux CPU of its children that have ended, and time. */
function used(): readonly number[] {
  const { user, system } = process.cpuUsage()
  const [, fields = ''] = process.platform === 'linux' ? readFileSync('/proc/self/stat', 'latin1').split(') ') : []
  const [ofUser, ofSystem] = fields.split(' ').slice(13).map(Number)
  return [(user + system) / 1_000, 10 * ((ofUser ?? 0) + (ofSystem ?? 0)), performance.now()]
}

/** In the suite of a file: writes down what its tests take, if the runner wants to know. */
export function timeFile(path: string): void {
  const file = process.env[variable]
  if (file === undefined) return
  let start: readonly number[] = []
  before(() => {
    start = used()
  })
  after(() => {
    const taken = used().map((ms, index) => Math.round(ms - (start[index] ?? 0)))
    appendFileSync(file, `${taken.join(' ')} ${path}\n`)
  })
}

/** In the runner, before any test. Returns what prints the files, those with the most CPU first. */
export function timeAll(file: string): () => void {
  process.env[variable] = file
  return () => {
    const all = `${used().map(Math.round).join(' ')} test/run.ts, with all processes`
    const rows = [all, ...readFileSync(file, 'utf8').trim().split('\n')]
    const cpuOf = (row: string) => Number(row.split(' ')[0]) + Number(row.split(' ')[1])
    rows.sort((one, other) => cpuOf(other) - cpuOf(one))
    process.stdout.write(`\nms of CPU, of its children's CPU, of time, file\n${rows.join('\n')}\n`)
  }
}
