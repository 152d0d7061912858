import type { ByteRange, ObjectHead, ObjectReading } from '../../../images/object-store.ts'
import { closeFile, type FileVersion, openRegular, readAt } from './files.ts'
import { metadataOf } from './identify.ts'
import type { Metadata, MetadataStore, ObjectPath } from './metadata.ts'

/** Small, since each of a thousand slow readers holds one. */
const pieceBytes = 32_768
const maxAttempts = 10

export const modifiedOf = ({ mtimeNs }: Pick<FileVersion, 'mtimeNs'>) => Number(mtimeNs / 1_000_000n)

export const headOf = (version: FileVersion, { etag, type }: Metadata): ObjectHead => ({
  etag,
  size: Number(version.size),
  modified: modifiedOf(version),
  type,
})

export interface Opened {
  readonly fd: number
  readonly head: ObjectHead
}

/** The current version and its metadata. */
export async function openObject(metadata: MetadataStore, object: ObjectPath): Promise<Opened | null> {
  for (let turn = 0; turn < maxAttempts; turn++) {
    const opened = await openRegular(object.path)
    if (opened === null) return null
    const { fd, version } = opened
    try {
      const known = await metadataOf(metadata, object, version)
      if (known) return { fd, head: headOf(version, known) }
    } catch (error) {
      closeFile(fd)
      throw error
    }
    closeFile(fd)
  }
  throw new Error(`${object.bucket}/${object.name} was replaced during each of ${maxAttempts} attempts to open it`)
}

/** Reads an open file or a part of it. Closes it at the end, never during a read. */
export function openReading({ fd, head }: Opened, part: ByteRange | null, signal?: AbortSignal): ObjectReading {
  const first = part?.first ?? 0
  const end = part ? part.last + 1 : head.size
  let running = 0
  let isOver = false
  let isClosed = false

  function release() {
    isOver = true
    if (running > 0 || isClosed) return
    isClosed = true
    closeFile(fd)
  }

  async function fill(into: Uint8Array, offset: number, position: number): Promise<number> {
    if (isOver) throw new Error('the object was closed while it was being read')
    running++
    try {
      return await readAt(fd, into, offset, position)
    } finally {
      running--
      if (isOver) release()
    }
  }

  async function whole(): Promise<Buffer> {
    const length = end - first
    // One byte more than expected, to detect in the same read a file that has grown.
    const bytes = Buffer.allocUnsafeSlow(part ? length : length + 1)
    try {
      let got = await fill(bytes, 0, first)
      while (got < length) {
        const more = await fill(bytes, got, first + got)
        if (more === 0) break
        got += more
      }
      if (got !== length) throw changed(head, first + got)
      signal?.throwIfAborted()
      return part ? bytes : bytes.subarray(0, length)
    } finally {
      release()
    }
  }

  async function piece(position: number): Promise<Uint8Array> {
    signal?.throwIfAborted()
    const left = end - position
    const bytes = Buffer.allocUnsafeSlow(left > pieceBytes ? pieceBytes : left + (part ? 0 : 1))
    const got = await fill(bytes, 0, position)
    if (got === 0 || got > left) throw changed(head, position + got)
    return bytes.subarray(0, got)
  }

  // Not a generator: leaving one before its first chunk would not close the file.
  function chunks(): AsyncIterableIterator<Uint8Array> {
    let position = first
    const over = { done: true, value: undefined } as const
    return {
      [Symbol.asyncIterator]() {
        return this
      },
      async next() {
        if (isOver) return over
        if (position >= end) {
          release()
          return over
        }
        try {
          const value = await piece(position)
          position += value.length
          return { done: false, value }
        } catch (error) {
          release()
          throw error
        }
      },
      async return() {
        release()
        return over
      },
    }
  }

  return { head, isGivenAway: true, whole, chunks, discard: release }
}

const changed = ({ size }: ObjectHead, at: number) =>
  new Error(`the file changed while it was read: it had ${size} bytes, now it has fewer or more (at ${at})`)
