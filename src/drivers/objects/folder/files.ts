import { closeSync, constants, fstatSync, lstatSync, open, read, readlinkSync } from 'node:fs'
import { lstat, open as openHandle, realpath } from 'node:fs/promises'

const { O_CREAT, O_DIRECTORY = 0, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = constants

/** Unchanged by a rename; with the key, it identifies one version of an object. */
export interface FileVersion {
  readonly mtimeNs: bigint
  readonly size: bigint
  readonly ino: bigint
}

export const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? ''

/** There is nothing, or something other than a regular file. */
const isAbsent = (error: unknown) =>
  /^(ENOENT|ENOTDIR|ELOOP|ENXIO|ENODEV|EOPNOTSUPP|ENAMETOOLONG|EISDIR)$/.test(codeOf(error))

/** Null if there is nothing; rejects for any other failure. */
export async function orNull<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

export async function ignoring(act: Promise<unknown>): Promise<void> {
  await act.catch(() => {})
}

/** The version of a regular file. Does not check the folders of the path. */
export async function versionAt(path: string): Promise<FileVersion | null> {
  const found = await orNull(lstat(path, { bigint: true }))
  return found?.isFile() ? found : null
}

/** The same synchronously; null also if it cannot be read. */
export function versionNow(path: string): FileVersion | null {
  try {
    const found = lstatSync(path, { bigint: true })
    return found.isFile() ? found : null
  } catch {
    return null
  }
}

export const isSameVersion = (one: FileVersion, other: FileVersion | null) =>
  other !== null && one.mtimeNs === other.mtimeNs && one.size === other.size && one.ino === other.ino

/** Whether this is a folder with no link in its path. */
export const isRealFolder = async (path: string) =>
  (await orNull(realpath(path))) === path && (await orNull(lstat(path)))?.isDirectory() === true

/** A new file, readable by its owner alone. */
export const createFile = (path: string) => openHandle(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600)

/** Makes the folder's entries durable. Windows has no call for this. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using folder = await openHandle(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  await folder.sync()
}

interface OpenFile {
  readonly fd: number
  readonly version: FileVersion
}

const toRead = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

/**
 * Opens a regular file; null if there is none, or there is a link in its path. Without O_NONBLOCK, opening a FIFO would
 * block a thread forever. fstat of an open file reads only kernel memory, so it is synchronous.
 */
export async function openRegular(path: string): Promise<OpenFile | null> {
  const fd = await orNull(openToRead(path))
  if (fd === null) return null
  try {
    const isThere = isAtPath(fd, path) ?? (await realpath(path).catch(() => null)) === path
    const version = fstatSync(fd, { bigint: true })
    if (version.isFile() && isThere) return { fd, version }
  } catch (error) {
    closeFile(fd)
    throw error
  }
  closeFile(fd)
  return null
}

const openToRead = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    open(path, toRead, (error, fd) => (error ? reject(error) : resolve(fd)))
  })

/** Asks the kernel about the open file, which excludes races; null if it cannot tell. */
function isAtPath(fd: number, path: string): boolean | null {
  if (process.platform !== 'linux') return null
  try {
    const real = readlinkSync(`/proc/self/fd/${fd}`)
    return real === path || real === `${path} (deleted)`
  } catch {
    return null
  }
}

/** One read, which may return fewer bytes. */
export const readAt = (fd: number, into: Uint8Array, offset: number, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    read(fd, into, offset, into.length - offset, position, (error, count) => (error ? reject(error) : resolve(count)))
  })

/** Synchronous: a file that was only read has nothing to flush. */
export function closeFile(fd: number): void {
  try {
    closeSync(fd)
  } catch {
    // Nothing that was read is lost.
  }
}
