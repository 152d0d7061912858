import { randomUUID } from 'node:crypto'
import { open, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Spooled } from '../../images/strip/file-bytes.ts'
import { freeBuffer } from '../../lib/free-buffer.ts'
import { makeFolder } from '../data-dir.ts'
import { isProcessGone } from './process-gone.ts'

const prefix = 's3-upload-'

/** Keeps an upload in a private temporary file. */
export async function spool(
  folder: string,
  pieces: AsyncIterable<Uint8Array>,
  isGivenAway = false,
): Promise<Spooled & { chunks(): AsyncIterable<Uint8Array> }> {
  makeFolder(folder)
  const path = join(folder, `${prefix}${process.pid}-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  // Unlinked at once, so that the file vanishes with the process, however that ends.
  const isNamed = await unlink(path).then(
    () => false,
    () => true,
  )
  async function remove() {
    await file.close()
    if (isNamed) await unlink(path).catch(() => {})
  }
  try {
    let size = 0
    for await (const piece of pieces) {
      await file.appendFile(piece)
      size += piece.length
      if (isGivenAway) freeBuffer(piece)
    }
    return {
      size,
      async read(position, length) {
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, position)
        return buffer.subarray(0, bytesRead)
      },
      chunks: () => file.createReadStream({ start: 0, autoClose: false }),
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Removes files of dead processes, for systems where open files cannot be unlinked. */
export async function sweepSpool(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]
    if (pid === undefined) continue
    const path = join(folder, name)
    if (await isLeft(path, Number(pid))) await unlink(path).catch(() => {})
  }
}

async function isLeft(path: string, pid: number): Promise<boolean> {
  // Process ids repeat in containers.
  if (pid === process.pid) return ((await stat(path).catch(() => null))?.mtimeMs ?? Infinity) < performance.timeOrigin
  return isProcessGone(pid)
}
