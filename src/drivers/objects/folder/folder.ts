import { constants, lstatSync } from 'node:fs'
import { access, lstat, mkdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BadSetting } from '../../../config/parser.ts'
import { isBucketName } from '../../../images/bucket-name.ts'
import type { ObjectRef, ObjectStore } from '../../../images/object-store.ts'
import { NoSuchBucket } from '../../../images/store-errors.ts'
import { type Clock, systemClock } from '../../../lib/clock.ts'
import { makeFolder } from '../../data-dir.ts'
import { closeFile, codeOf, orNull, syncFolder } from './files.ts'
import { createFolders } from './folders.ts'
import { listFolder } from './list.ts'
import { createMetadata, type ObjectPath } from './metadata.ts'
import { treeOf } from './paths.ts'
import { openObject, openReading } from './read.ts'
import { createRoom } from './room.ts'
import { proveRoom, sweepTemporary } from './temporary.ts'
import { createWriter } from './write.ts'

interface FolderOptions {
  readonly dataDir: string
  readonly clock?: Clock
  /** Page size of listings. */
  readonly maxPageSize?: number
}

/**
 * The embedded object store: each object is a plain file, DATA_DIR/objects/<bucket>/<key>. Metadata is in `.details`
 * beside the buckets, incomplete uploads are in `.temporary`; no bucket name begins with a dot.
 */
export async function openFolderStore(options: FolderOptions): Promise<ObjectStore> {
  const { dataDir, clock = systemClock, maxPageSize = 1_000 } = options
  const { root, metadata, writer } = await openTree(join(dataDir, 'objects'), clock)
  const { pathOf, folderOf, ...buckets } = bucketsIn(root)
  const room = createRoom(root)

  async function opened(at: ObjectRef, signal?: AbortSignal) {
    signal?.throwIfAborted()
    const object = pathOf(at)
    return object && openObject(metadata, object)
  }

  return {
    ...buckets,

    async check(bucket) {
      await access((await folderOf(bucket)).path, constants.R_OK | constants.W_OK | constants.X_OK)
    },

    async proveWritable(bucket) {
      await room.assertFree()
      await proveRoom(join(root, '.temporary'), bucket)
    },

    async head(at, signal) {
      const object = await opened(at, signal)
      if (object) closeFile(object.fd)
      return object?.head ?? null
    },

    async read(at, signal) {
      const object = await opened(at, signal)
      return object && openReading(object, null, signal)
    },

    async readRange(at, version, part, signal) {
      const object = await opened(at, signal)
      if (object === null) return null
      const isCurrent = object.head.etag === version.etag
      if (isCurrent && part.first >= 0 && part.first <= part.last && part.last < object.head.size)
        return openReading(object, part, signal)
      closeFile(object.fd)
      if (!isCurrent) return null
      throw new RangeError(`the range ${part.first} to ${part.last} is outside the object's ${object.head.size} bytes`)
    },

    async write(upload) {
      await folderOf(upload.bucket)
      const object = pathOf(upload)
      if (object === null) throw new Error(`${JSON.stringify(upload.name)} is not a valid object name`)
      try {
        return await writer.write(object, upload)
      } catch (error) {
        room.failed(error, upload.size)
        throw error
      }
    },

    async remove(at) {
      await folderOf(at.bucket)
      const object = pathOf(at)
      if (object) await writer.remove(object)
    },

    async *list(bucket, options) {
      yield* listFolder(metadata, await folderOf(bucket), { ...options, maxPageSize })
    },

    async close() {},
  }
}

/** Creates and tidies the folders beside the buckets. */
async function openTree(path: string, clock: Clock) {
  makeFolder(path)
  // Links resolved: paths of opened files are compared with it.
  const root = await realpath(path)
  const temporaryFolder = join(root, '.temporary')
  const detailsFolder = join(root, '.details')
  makeFolder(temporaryFolder)
  makeFolder(detailsFolder)
  await syncFolder(dirname(root))
  // The service cannot read what the tool writes as root, so only the folder's owner maintains it.
  const isOwner = (await lstat(detailsFolder)).uid === (process.geteuid?.() ?? 0)
  const metadata = createMetadata(detailsFolder, { now: clock.now, isOwner })
  await sweepTemporary(temporaryFolder, metadata)
  return { root, metadata, writer: createWriter(metadata, createFolders(root), temporaryFolder) }
}

function bucketsIn(root: string) {
  async function bucketExists(bucket: string): Promise<boolean> {
    return isBucketName(bucket) && (await orNull(lstat(join(root, bucket))))?.isDirectory() === true
  }

  return {
    bucketExists,

    async createBucket(bucket: string): Promise<void> {
      if (!isBucketName(bucket)) throw new Error(`${JSON.stringify(bucket)} is not a valid bucket name`)
      try {
        await mkdir(join(root, bucket), { mode: 0o700 })
      } catch (error) {
        if (codeOf(error) !== 'EEXIST' || !(await bucketExists(bucket))) throw error
      }
      await syncFolder(root)
    },

    async folderOf(bucket: string): Promise<{ bucket: string; path: string }> {
      if (!(await bucketExists(bucket))) throw new NoSuchBucket(`there is no bucket ${JSON.stringify(bucket)}`)
      return { bucket, path: join(root, bucket) }
    },

    /** Null if no object can have this name. */
    pathOf({ bucket, name }: ObjectRef): ObjectPath | null {
      const tree = isBucketName(bucket) ? treeOf(name) : null
      return tree === null ? null : { bucket, name, path: join(root, bucket, tree) }
    },
  }
}

/**
 * Creates the bucket's folder if it is missing. Returns an id for it that is the same on all machines that share it,
 * even if the device number differs.
 */
export function makeBucketFolder(dataDir: string, bucket: string): string {
  const path = join(dataDir, 'objects', bucket)
  const problem = (found: string) =>
    new BadSetting(`${path}: expected a folder (${found}); check what is there, and who owns it`)
  try {
    makeFolder(path)
  } catch (error) {
    throw problem(codeOf(error))
  }
  // Links are never followed: a linked bucket would silently be empty.
  const found = lstatSync(path, { bigint: true })
  if (found.isSymbolicLink()) throw problem('a link')
  return `${found.ino} ${found.birthtimeNs}`
}
