import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { isOwnerGone, ownName } from '../../drivers/objects/process-gone.ts'
import { dayMs } from '../../lib/timestamps.ts'
import { Failed } from '../failure.ts'

const prefix = '.menagerie-'
/** Processes on other machines and in other containers cannot be checked, so their folders expire. */
const maxAgeMs = dayMs

export const isWorkFolder = (name: string) => name.startsWith(prefix) && name.includes('~')

/** Runs `act` with a private temporary folder. Removes those of killed runs. */
export async function withWorkFolder<T>(parent: string, act: (path: string) => Promise<T>): Promise<T> {
  const path = join(parent, `${prefix}${ownName()}`)
  try {
    await sweep(parent)
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Failed(
      code === 'ENOENT'
        ? `${parent}: no such folder; create it.`
        : `${parent} is not writable for the user ${userInfo().username} (${code}).`,
    )
  }
  try {
    return await act(path)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

export async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!isWorkFolder(name)) continue
    const path = join(parent, name)
    const isOld = Date.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? Date.now()) > maxAgeMs
    if (isOld || isOwnerGone(name.slice(prefix.length))) await rm(path, { recursive: true, force: true })
  }
}
