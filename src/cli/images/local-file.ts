import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import type { Metadata } from '../../images/admin/upload-content.ts'
import type { ObjectHead, ObjectRef, ObjectStore } from '../../images/object-store.ts'
import { isStrippable, strip, strippableBytes } from '../../images/strip/strip.ts'
import { once } from '../../lib/once.ts'
import { Failed } from '../failure.ts'
import { md5Of, md5OfObject } from './objects.ts'

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
      // The consumer may free the piece.
      position += piece.length
      yield piece
    }
  }

  const close = () => handle.close()
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw new Failed('not a regular file')
    return { size: found.size, read: at, chunks, md5: once(() => md5Of(chunks())), [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

export type LocalFile = Awaited<ReturnType<typeof openLocalFile>>

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
  return { size, chunks, md5: once(() => md5Of(chunks())), metadata: isChanged ? 'removed' : 'none' }
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
  const md5 = await file.md5()
  return head.etag.toLowerCase() === md5 || (await md5OfObject(store, place, signal)) === md5
}
