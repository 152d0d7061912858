import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import type { Metadata } from '../../images/admin/upload-content.ts'
import type { ObjectHead, ObjectRef, ObjectStore } from '../../images/object-store.ts'
import { isStrippable, strip, strippableBytes } from '../../images/strip/strip.ts'
import { Failed } from '../failure.ts'

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants
const chunkBytes = 262_144

/** Opens a regular file; replacing it in its folder has no effect. Rejects with Failed if it cannot be read. */
export async function openLocalFile(path: Buffer | string) {
  // Opening a FIFO without O_NONBLOCK would block a thread forever.
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(fail)

  async function at(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length)
    const { bytesRead } = await handle.read(buffer, 0, length, position).catch(fail)
    return buffer.subarray(0, bytesRead)
  }

  /** The current content, whose length may differ from `size` if the file is being written. */
  async function* chunks() {
    for (let position = 0; ; ) {
      const piece = await at(position, chunkBytes)
      if (piece.length === 0) return
      yield piece
      position += piece.length
    }
  }

  const close = () => handle.close()
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw new Failed('not a regular file')
    return { size: found.size, read: at, chunks, md5: md5Of(chunks), close }
  } catch (error) {
    await close()
    throw error
  }
}

export type LocalFile = Awaited<ReturnType<typeof openLocalFile>>

/** Computed once. */
function md5Of(chunks: () => AsyncIterable<Buffer>) {
  let hash: string | null = null
  return async () => {
    if (hash !== null) return hash
    const whole = createHash('md5')
    for await (const piece of chunks()) whole.update(piece)
    hash = whole.digest('hex')
    return hash
  }
}

/** What to store of a file. */
export type LocalContent = Pick<LocalFile, 'size' | 'md5'> & {
  chunks(): AsyncIterable<Buffer>
  readonly metadata?: Metadata
}

/** Without its metadata if UPLOAD_STRIP_METADATA is set and its type can be stripped. */
export async function contentOf(file: LocalFile, { UPLOAD_STRIP_METADATA: mustStrip }: Config): Promise<LocalContent> {
  if (!mustStrip) return file
  if (!isStrippable(await file.read(0, strippableBytes))) return { ...file, metadata: 'kept' }
  const stripped = await strip(file)
  if (stripped === null) throw new Failed('damaged; its metadata cannot be removed')
  const { size, chunks, isChanged } = stripped
  return { size, chunks, md5: md5Of(chunks), metadata: isChanged ? 'removed' : 'none' }
}

/** Omits the path, which the report contains. */
export function fail(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException
  throw new Failed(reasons[code ?? ''] ?? message)
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied (EACCES)',
  EPERM: 'permission denied (EPERM)',
  ENOENT: 'no longer there (ENOENT)',
  ELOOP: 'symbolic link (ELOOP)',
}

interface Stored {
  readonly store: Pick<ObjectStore, 'read'>
  readonly place: ObjectRef
  readonly head: Pick<ObjectHead, 'etag' | 'size'>
  readonly signal: AbortSignal
}

/** Compares the ETag with the file's MD5 and, if they differ, the bytes, since an ETag need not be an MD5. */
export async function isSame(file: LocalContent, { store, place, head, signal }: Stored): Promise<boolean> {
  if (head.size !== file.size) return false
  if (head.etag.toLowerCase() === (await file.md5())) return true
  const reading = await store.read(place, signal)
  if (reading === null) return false
  return areEqual(reading.chunks(), file.chunks())
}

async function areEqual(one: AsyncIterable<Uint8Array>, other: AsyncIterable<Uint8Array>): Promise<boolean> {
  const rest = other[Symbol.asyncIterator]()
  let have: Uint8Array = new Uint8Array()
  for await (const piece of one) {
    for (let left = piece; left.length > 0; ) {
      if (have.length === 0) {
        const next = await rest.next()
        if (next.done) return false
        have = next.value
      }
      const length = Math.min(left.length, have.length)
      if (Buffer.compare(left.subarray(0, length), have.subarray(0, length)) !== 0) return false
      left = left.subarray(length)
      have = have.subarray(length)
    }
  }
  return have.length === 0 && (await rest.next()).done === true
}
