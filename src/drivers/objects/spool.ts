import { randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Spooled } from '../../images/strip/file-bytes.ts'
import { freeBuffer } from '../../lib/free-buffer.ts'
import { makeFolder } from '../data-dir.ts'

/** Keeps uploads in private temporary files below this folder. */
export function createSpool(folder: string) {
  return async (
    pieces: AsyncIterable<Uint8Array>,
    isGivenAway = false,
  ): Promise<Spooled & { chunks(): AsyncIterable<Uint8Array> }> => {
    makeFolder(folder)
    const path = join(folder, `s3-upload-${randomUUID()}`)
    const file = await open(path, 'wx+', 0o600)
    try {
      // At once, so that the file vanishes with the process, however that ends.
      await unlink(path)
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
        [Symbol.asyncDispose]: () => file.close(),
      }
    } catch (error) {
      await file.close()
      throw error
    }
  }
}

export type Spooling = ReturnType<typeof createSpool>
