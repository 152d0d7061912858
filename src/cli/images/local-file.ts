import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { Failed } from '../failure.ts'

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants
const pieceBytes = 262_144

/** A regular file, opened: whatever takes its place in the folder meanwhile, its bytes are those of one and the same. */
export interface LocalFile {
  readonly size: number
  begin(bytes: number): Promise<Buffer>
  /** Every byte there is, which may be more or fewer than `size` if it is being written. */
  chunks(): AsyncIterable<Buffer>
  md5(): Promise<string>
  close(): Promise<void>
}

/** Rejects with Failed for whatever is wrong with the file. */
export async function openLocalFile(path: Buffer | string): Promise<LocalFile> {
  // A FIFO that is opened to block would keep a thread for ever.
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(fail)
  let hash: string | null = null

  async function at(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length)
    const { bytesRead } = await handle.read(buffer, 0, length, position).catch(fail)
    return buffer.subarray(0, bytesRead)
  }

  async function* chunks() {
    for (let position = 0; ; ) {
      const piece = await at(position, pieceBytes)
      if (piece.length === 0) return
      yield piece
      position += piece.length
    }
  }

  async function md5(): Promise<string> {
    if (hash !== null) return hash
    const whole = createHash('md5')
    for await (const piece of chunks()) whole.update(piece)
    hash = whole.digest('hex')
    return hash
  }

  const close = () => handle.close()
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw new Failed('it is no regular file')
    return { size: found.size, begin: (bytes) => at(0, bytes), chunks, md5, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The code alone says it: the report names the file. */
export function fail(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException
  throw new Failed(reasons[code ?? ''] ?? message)
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'it may not be read (EACCES)',
  EPERM: 'it may not be read (EPERM)',
  ENOENT: 'it is not there any more (ENOENT)',
  ELOOP: 'it is a symbolic link (ELOOP)',
}
