import { createHash } from 'node:crypto'
import { type FileHandle, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Stored, Upload } from '../../../images/object-store.ts'
import { asUnchanged } from '../../../images/store-errors.ts'
import { freeBuffer } from '../../../lib/free-buffer.ts'
import { createKeyedMutex } from '../../../lib/keyed-mutex.ts'
import { abortable } from '../abortable.ts'
import { codeOf, type FileVersion, ignoring, isRealFolder, syncFolder, versionAt } from './files.ts'
import type { Folders } from './folders.ts'
import type { MetadataStore, ObjectPath } from './metadata.ts'
import { makeTemporary } from './temporary.ts'

/**
 * The order makes a write crash-safe: bytes, fsync, metadata, fsync, rename, fsync of the folder. Before the rename
 * there is the old object with its metadata, after it the new object with its own.
 */
export function createWriter(metadata: MetadataStore, folders: Folders, temporaryFolder: string) {
  const mutex = createKeyedMutex()

  async function write(object: ObjectPath, upload: Upload, onDone: () => void): Promise<Stored> {
    upload.signal.throwIfAborted()
    const temporary = await makeTemporary(temporaryFolder, object)
    try {
      const { md5 } = await receive(temporary.file, upload)
      await temporary.file.sync()
      await mutex.run(object.path, () => putInPlace(object, temporary, upload, md5, onDone))
      return { etag: md5, versionId: null, md5, isEtagOpaque: false }
    } catch (error) {
      await ignoring(temporary.file.close())
      await ignoring(unlink(temporary.path))
      throw error
    }
  }

  async function putInPlace(
    object: ObjectPath,
    { file, path }: Awaited<ReturnType<typeof makeTemporary>>,
    { type, signal }: Upload,
    md5: string,
    onDone: () => void,
  ): Promise<void> {
    const known = { etag: md5, type }
    await folders.make(object)
    const version = await file.stat({ bigint: true })
    await metadata.add(object, version, known)
    let before: FileVersion | null
    try {
      await file.close()
      signal.throwIfAborted()
      before = await versionAt(object.path)
      await renameInto(object, path)
      onDone()
    } catch (error) {
      await metadata.drop(object, version)
      throw error
    }
    // From here on, the new metadata stays: its object may be in place.
    await syncFolder(dirname(object.path))
    metadata.remember(object.path, version, known)
    if (before) await metadata.drop(object, before)
  }

  async function renameInto(object: ObjectPath, from: string): Promise<void> {
    try {
      await rename(from, object.path)
    } catch (error) {
      if (!/^(ENOENT|EISDIR|ENOTEMPTY|EEXIST|EPERM)$/.test(codeOf(error))) throw error
      // Empty folders may be in the object's place, or its own folder may have been removed.
      await folders.clearAway(object)
      await folders.make(object)
      await rename(from, object.path)
    }
  }

  async function remove(object: ObjectPath, onDone: () => void): Promise<void> {
    const folder = dirname(object.path)
    if (!(await isRealFolder(folder))) return
    await mutex.run(object.path, async () => {
      const version = await versionAt(object.path)
      if (version) {
        await unlink(object.path).catch((error) => {
          if (codeOf(error) !== 'ENOENT') throw error
        })
        onDone()
      }
      // Even if there was nothing to remove: an earlier removal may have failed here.
      await syncFolder(folder)
      if (version) await metadata.drop(object, version)
    })
  }

  return {
    write: (object: ObjectPath, upload: Upload) => marking((onDone) => write(object, upload, onDone)),
    remove: (object: ObjectPath) => marking((onDone) => remove(object, onDone)),
  }
}

/** A rename or unlink that fails like this may have taken effect. */
const mayHaveHappened = (error: unknown) => /^(EIO|ESTALE|ETIMEDOUT)$/.test(codeOf(error))

/** Marks errors thrown before `onDone` is called as unchanged. */
async function marking<T>(change: (onDone: () => void) => Promise<T>): Promise<T> {
  let isDone = false
  try {
    return await change(() => {
      isDone = true
    })
  } catch (error) {
    throw isDone || mayHaveHappened(error) ? error : asUnchanged(error)
  }
}

const gatherBytes = 65_536

/** Streams a body to a file with backpressure, one chunk in memory. Small chunks are buffered. */
async function receive(
  file: FileHandle,
  { body, size, isGivenAway, signal }: Pick<Upload, 'body' | 'size' | 'isGivenAway' | 'signal'>,
): Promise<{ size: number; md5: string }> {
  const md5 = createHash('md5')
  const gathered = Buffer.allocUnsafeSlow(gatherBytes)
  let total = 0
  let filled = 0
  for await (const chunk of abortable(body, signal)) {
    total += chunk.length
    if (size !== null && total > size) throw new Error(`the body exceeds its announced length of ${size} bytes`)
    md5.update(chunk)
    if (filled + chunk.length > gatherBytes) {
      await file.writeFile(gathered.subarray(0, filled))
      filled = 0
    }
    if (chunk.length > gatherBytes) await file.writeFile(chunk)
    else {
      gathered.set(chunk, filled)
      filled += chunk.length
    }
    if (isGivenAway) freeBuffer(chunk)
  }
  if (size !== null && total !== size) throw new Error(`the body ended after ${total} of ${size} announced bytes`)
  await file.writeFile(gathered.subarray(0, filled))
  return { size: total, md5: md5.digest('hex') }
}
