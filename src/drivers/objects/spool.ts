import { randomUUID } from 'node:crypto'
import { open, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Spooled } from '../../images/strip/file-bytes.ts'
import { freeBuffer } from '../../lib/free-buffer.ts'
import { makeFolder } from '../data-dir.ts'
import { isOwnerGone, ownName } from './process-gone.ts'

const prefix = 's3-upload-'

/** Keeps uploads in private temporary files below this folder, from which it removes those of dead processes. */
export async function openSpool(folder: string) {
  // Only where an open file cannot be unlinked is any left.
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(prefix) && isOwnerGone(name.slice(prefix.length)))
      await unlink(join(folder, name)).catch(() => {})

  return async (
    pieces: AsyncIterable<Uint8Array>,
    isGivenAway = false,
  ): Promise<Spooled & { chunks(): AsyncIterable<Uint8Array> }> => {
    makeFolder(folder)
    const path = join(folder, `${prefix}${ownName()}~${randomUUID()}`)
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
}

export type Spooling = Awaited<ReturnType<typeof openSpool>>
