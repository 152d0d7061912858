import { createHash } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type FileVersion, syncFolder, versionAt } from '../../drivers/objects/folder/files.ts'
import { Failed } from '../failure.ts'
import { quoted } from '../output.ts'

const maxUnsynced = 16

/** Writes a new tree of private files; rejects duplicate names. */
export function createTree(root: string, signal: AbortSignal) {
  const folders = new Set([root])
  const syncing = new Set<Promise<void>>()
  let failure: unknown = null

  async function folder(path: string): Promise<void> {
    if (folders.has(path)) return
    await folder(dirname(path))
    await mkdir(path, { mode: 0o700 }).catch((error) => refuseTwice(path.slice(root.length + 1), error))
    folders.add(path)
  }

  async function file(name: string, modified: number, body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    const path = join(root, name)
    await folder(dirname(path))
    const handle = await open(path, 'wx', 0o600).catch((error) => refuseTwice(name, error))
    const sum = createHash('sha256')
    let bytes = 0
    try {
      for await (const chunk of body) {
        signal.throwIfAborted()
        sum.update(chunk)
        await handle.appendFile(chunk)
        bytes += chunk.length
      }
      // Seconds as a float may round down to the previous millisecond. Node takes negative numbers for now.
      const time = modified < 0 ? new Date(modified) : (modified + 0.01) / 1_000
      await handle.utimes(time, time)
    } catch (error) {
      await handle.close()
      throw error
    }
    const synced: Promise<void> = handle
      .sync()
      .finally(() => handle.close())
      .catch((error) => {
        failure ??= error
      })
      .finally(() => syncing.delete(synced))
    syncing.add(synced)
    if (syncing.size >= maxUnsynced) await Promise.race(syncing)
    if (failure !== null) throw failure
    return { sum: sum.digest('hex'), bytes }
  }

  return {
    file,
    folder: (name: string) => folder(join(root, name)),

    async versionOf(name: string): Promise<FileVersion> {
      const version = await versionAt(join(root, name))
      if (version === null) throw new Error(`${name} is gone`)
      return version
    },

    /** Resolves when no write is in progress. */
    settle: () => Promise.all(syncing),

    /** Resolves when everything is on disk. */
    async sync(): Promise<void> {
      await Promise.all(syncing)
      if (failure !== null) throw failure
      for (const each of folders) await syncFolder(each)
    },
  }
}

function refuseTwice(name: string, error: NodeJS.ErrnoException): never {
  if (!/^(EEXIST|ENOTDIR|EISDIR)$/.test(error.code ?? '')) throw error
  throw new Failed(`The archive was modified: ${quoted(name)} is in it twice, or below a file.`)
}
