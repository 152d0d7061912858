import { existsSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { SizeFiles } from '../../images/sizes/resizer.ts'
import type { Logger } from '../../process/logger.ts'

interface FolderOptions {
  readonly folder: string
  /** 0: nothing is stored. */
  readonly maxBytes: number
  readonly log: Pick<Logger, 'warn'>
}

/** At the end of each file: after a power failure, one may have its length but not its bytes. */
const checksumBytes = 4
/** Beyond it, a slow disk would fill the memory. */
const maxPendingBytes = 33_554_432
/** A sweep leaves this much, so that the next one is not due at once. */
const sweptShare = 0.9
const touchEveryMs = 60_000
const partial = '.partial'

/**
 * A cache of files, of which those not used for longest are deleted. Nothing in memory lists them: their times are the
 * order, and a sweep reads the folder.
 */
export function openSizeFolder({ folder, maxBytes, log }: FolderOptions): SizeFiles {
  /** Null until the first write has counted what an earlier start left. Afterwards never less than there is. */
  let total: number | null = existsSync(folder) ? null : 0
  let pendingBytes = 0
  let writing: Promise<void> = Promise.resolve()
  let isFailing = false
  const pathOf = (name: string) => join(folder, name.slice(0, 2), name)

  /** One line until a write succeeds again. A missing folder is not a failure. */
  const report = (error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException
    // Without the error itself: a full disk here says nothing about the object store.
    if (!isFailing) log.warn({ folder, reason: code ?? message }, 'resized images cannot be kept on disk')
    isFailing = true
  }

  const store = async (name: string, bytes: Buffer): Promise<void> => {
    const length = bytes.length + checksumBytes
    if (total === null || total + length > maxBytes) total = await sweep(folder, maxBytes, length)
    const path = pathOf(name)
    const checksum = Buffer.alloc(checksumBytes)
    checksum.writeUInt32BE(crc32(bytes))
    total += length
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeWhole(`${path}${partial}`, [bytes, checksum])
      await rename(`${path}${partial}`, path)
      isFailing = false
    } catch (error) {
      await rm(`${path}${partial}`, { force: true }).catch(() => {})
      throw error
    }
  }

  return {
    async read(name) {
      if (maxBytes === 0) return null
      try {
        return await readChecked(pathOf(name))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') report(error)
        return null
      }
    },
    write(name, bytes) {
      const length = bytes.length + checksumBytes
      if (length > maxBytes || pendingBytes + length > maxPendingBytes) return
      pendingBytes += length
      // The caller may free its own once the response has been sent.
      const copy = Buffer.from(bytes)
      writing = writing
        .then(() => store(name, copy))
        .catch(report)
        .finally(() => {
          pendingBytes -= length
        })
    },
    touch(name) {
      if (maxBytes > 0) void touch(pathOf(name)).catch(() => {})
    },
    bytes: () => total,
    close: () => writing,
  }
}

async function writeWhole(path: string, parts: readonly Buffer[]): Promise<void> {
  await using file = await open(path, 'w', 0o600)
  await file.writev(parts)
}

/** Null for a file with the wrong checksum, which it deletes. */
async function readChecked(path: string): Promise<Buffer | null> {
  await using file = await open(path, 'r')
  const { size, mtimeMs } = await file.stat()
  const bytes = Buffer.allocUnsafeSlow(Math.max(0, size - checksumBytes))
  const checksum = Buffer.alloc(checksumBytes)
  await readInto(file, bytes, 0)
  await readInto(file, checksum, bytes.length)
  if (bytes.length === 0 || crc32(bytes) !== checksum.readUInt32BE()) {
    await rm(path, { force: true })
    return null
  }
  if (Date.now() - mtimeMs > touchEveryMs) await touch(path)
  return bytes
}

async function readInto(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, position + at)
    if (bytesRead === 0) return
    at += bytesRead
  }
}

async function touch(path: string): Promise<void> {
  const now = new Date()
  await utimes(path, now, now)
}

interface KeptFile {
  readonly path: string
  readonly size: number
  readonly usedAt: number
}

/** Counts the files and, if there is no room for one of this length, deletes those not used for longest. */
async function sweep(folder: string, maxBytes: number, length: number): Promise<number> {
  const files = await filesIn(folder)
  let total = files.reduce((sum, { size }) => sum + size, 0)
  if (total + length <= maxBytes) return total
  files.sort((one, other) => one.usedAt - other.usedAt)
  const goal = Math.min(maxBytes - length, maxBytes * sweptShare)
  for (const { path, size } of files) {
    if (total <= goal) break
    await rm(path, { force: true })
    total -= size
  }
  return total
}

/** Also what a process left that was killed while it wrote. */
async function filesIn(folder: string): Promise<KeptFile[]> {
  const files: KeptFile[] = []
  for (const inner of await namesIn(folder))
    for (const name of await namesIn(join(folder, inner))) {
      const path = join(folder, inner, name)
      const found = await stat(path).catch(() => null)
      if (!found) continue
      if (name.endsWith(partial)) await rm(path, { force: true })
      else files.push({ path, size: found.size, usedAt: found.mtimeMs })
    }
  return files
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test(String((error as NodeJS.ErrnoException).code))) return []
    throw error
  }
}
