import { readdirSync, readlinkSync } from 'node:fs'

/** The processes that have a (maybe deleted) file below this folder open. Linux only, if this user may inspect them. */
export function processesWithFilesIn(folder: string): number[] {
  return entries('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => entries(`/proc/${pid}/fd`).some((fd) => linkAt(`/proc/${pid}/fd/${fd}`).startsWith(`${folder}/`)))
    .map(Number)
}

const entries = (path: string) => orElse([], () => readdirSync(path))
const linkAt = (path: string) => orElse('', () => readlinkSync(path))

function orElse<T>(otherwise: T, act: () => T): T {
  try {
    return act()
  } catch {
    return otherwise
  }
}
