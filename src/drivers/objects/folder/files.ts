import { closeSync, constants, fstatSync, open, openSync, read, readlinkSync, readSync } from 'node:fs'
import { lstat, open as openHandle, realpath } from 'node:fs/promises'
import { isPromise, type MaybePromise } from '../../../lib/maybe-promise.ts'
import type { SyncIo } from './sync-io.ts'

const { O_CREAT, O_DIRECTORY = 0, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = constants

/** More is copied in milliseconds. */
const maxSynchronousBytes = 1_048_577

/** What a rename keeps, and a copy with its times: with the key it names one version of an object. */
export interface Version {
  readonly mtimeNs: bigint
  readonly size: bigint
  readonly ino: bigint
}

export const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? ''

/** Nothing is there, or something that is no object and no way to one. */
const isNothing = (error: unknown) =>
  /^(ENOENT|ENOTDIR|ELOOP|ENXIO|ENODEV|EOPNOTSUPP|ENAMETOOLONG|EISDIR)$/.test(codeOf(error))

/** Null for what is not there; any other failure is one. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (isNothing(error)) return null
    throw error
  }
}

export async function ignoring(act: Promise<unknown>): Promise<void> {
  await act.catch(() => {})
}

/** The regular file of that name; the folders on the way to it are not looked at. */
export async function versionAt(path: string): Promise<Version | null> {
  const found = await orNull(lstat(path, { bigint: true }))
  return found?.isFile() ? found : null
}

export const isSameVersion = (one: Version, other: Version | null) =>
  other !== null && one.mtimeNs === other.mtimeNs && one.size === other.size && one.ino === other.ino

/** Whether a folder is there, and no link stands in the place of it or on the way. */
export const isRealFolder = async (path: string) =>
  (await orNull(realpath(path))) === path && (await orNull(lstat(path)))?.isDirectory() === true

/** A new file for its owner alone, that nobody else can have put there. */
export const createFile = (path: string) => openHandle(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600)

/** What was put in, renamed in or removed from a folder is for good after this. Windows has no such call. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await openHandle(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

interface OpenFile {
  readonly fd: number
  readonly version: Version
}

const toRead = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

/**
 * Opens a regular file; null where there is none, or a link on the way to it. A FIFO opened to block would keep a
 * thread for ever. What is asked of a file that has just been opened is in the kernel's memory.
 */
export async function openRegular(path: string, syncIo: SyncIo): Promise<OpenFile | null> {
  const opening = syncIo.isAllowed() ? syncIo.timed(() => openNow(path)) : openLater(path)
  const fd = isPromise(opening) ? await orNull(opening) : opening
  if (fd === null) return null
  try {
    const version = fstatSync(fd, { bigint: true })
    if (version.isFile() && (isWhereItSeems(fd, path) ?? (await orNull(realpath(path))) === path))
      return { fd, version }
  } catch (error) {
    closeFile(fd)
    throw error
  }
  closeFile(fd)
  return null
}

/** The same without waiting; null too where it cannot be said at once. */
export function openRegularNow(path: string): OpenFile | null {
  const fd = openNow(path)
  if (fd === null) return null
  try {
    const version = fstatSync(fd, { bigint: true })
    if (version.isFile() && isWhereItSeems(fd, path)) return { fd, version }
  } catch (error) {
    closeFile(fd)
    throw error
  }
  closeFile(fd)
  return null
}

function openNow(path: string): number | null {
  try {
    return openSync(path, toRead)
  } catch (error) {
    if (isNothing(error)) return null
    throw error
  }
}

const openLater = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    open(path, toRead, (error, fd) => (error ? reject(error) : resolve(fd)))
  })

/** Asked of the kernel about the open file, so that nothing can change in between; null where it cannot be asked. */
function isWhereItSeems(fd: number, path: string): boolean | null {
  if (process.platform !== 'linux') return null
  try {
    // From memory: /proc has no disk to wait for.
    const real = readlinkSync(`/proc/self/fd/${fd}`)
    return real === path || real === `${path} (deleted)`
  } catch {
    return null
  }
}

/** One read; it may answer fewer bytes. */
export function readAt(
  fd: number,
  into: Uint8Array,
  offset: number,
  position: number,
  syncIo: SyncIo,
): MaybePromise<number> {
  const length = into.length - offset
  if (length <= maxSynchronousBytes && syncIo.isAllowed())
    return syncIo.timed(() => readSync(fd, into, offset, length, position))
  return new Promise((resolve, reject) => {
    read(fd, into, offset, length, position, (error, count) => (error ? reject(error) : resolve(count)))
  })
}

/** Of a file that was only read, nothing is left to be done, so it takes no thread. */
export function closeFile(fd: number): void {
  try {
    closeSync(fd)
  } catch {
    // Nothing that was read is lost by it.
  }
}
