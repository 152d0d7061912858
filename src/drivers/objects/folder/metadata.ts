import { readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { typeOfFile } from '../../../images/image-types.ts'
import type { Clock } from '../../../lib/clock.ts'
import { makeFolder } from '../../data-dir.ts'
import { codeOf, createFile, ignoring, isSameVersion, orNull, syncFolder, type Version } from './files.ts'
import { fileOfRecord, nameHashIn, recordText, shardOf, shortHash, versionIn } from './record-names.ts'

export interface Metadata {
  /** The MD5 of the bytes. */
  readonly etag: string
  readonly type: string | null
}

/** `path` is the object's file. */
export interface ObjectPlace {
  readonly bucket: string
  readonly name: string
  readonly path: string
}

/** What a record says, and of which version of the object, as far as that is known. */
export interface Kept extends Metadata {
  readonly file: string
  readonly version: Version | null
}

/** As on disk. Without a type the file was put there by hand; version 0.1 kept the inode here, not in the name. */
interface Written {
  readonly name: string
  readonly etag: string
  readonly type?: string | null
  readonly ino?: string
}

/** What is known of files without reading their records again: some 4 MB. */
const maxRemembered = 10_000
/** No upload leaves this much time between its record and its object. */
const pendingMs = 3_600_000

interface MetadataOptions extends Pick<Clock, 'now'> {
  /** Else nothing is written but for an upload. */
  readonly isOwner: boolean
  /** Records of version 0.1 that were left where they are, by the key's hash. */
  readonly unsorted: ReadonlyMap<string, readonly string[]>
}

/**
 * What a file itself cannot say of an object is in a record, a file beside the tree for each version of an object,
 * named by the object's key and by the inode, size and time of its file. A record whose name fits is trusted. After
 * a copy none fits: then the MD5 of the bytes tells which one is the object's own.
 */
export function createMetadata(folder: string, { now, isOwner, unsorted }: MetadataOptions) {
  const remembered = new LRUCache<string, Version & Metadata>({ max: maxRemembered })
  const fileOf = (bucket: string, nameHash: string, version: Version) =>
    join(folder, bucket, fileOfRecord(nameHash, version))

  /** Folders here that are known to be on disk for good. */
  const settled = new Set<string>()

  async function settle(shard: string): Promise<void> {
    makeFolder(shard)
    for (let each = shard; each !== dirname(folder); each = dirname(each)) {
      if (!settled.has(each)) await syncFolder(dirname(each))
      settled.add(each)
    }
  }

  /** A record that a crash left behind stands in the way of no other: the inode is that of the file at hand. */
  async function create(path: string) {
    try {
      return await createFile(path)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') await unlink(path)
      else if (codeOf(error) === 'ENOENT') {
        settled.clear()
        await settle(dirname(path))
      } else throw error
      return createFile(path)
    }
  }

  /** Single-flight: however many ask for an object at once, its file is read once. */
  const pending = new Map<string, Promise<Metadata | null>>()
  let hashedBytes = 0

  return {
    now,
    hashed(bytes: number): void {
      hashedBytes += bytes
    },
    /** How much was read in all to tell whose records are whose. */
    hashedBytes: () => hashedBytes,

    onceAtATime({ bucket, name }: ObjectPlace, version: Version, act: () => Promise<Metadata | null>) {
      const key = fileOf(bucket, shortHash(name), version)
      const running = pending.get(key) ?? act().finally(() => pending.delete(key))
      pending.set(key, running)
      return running
    },

    /** A listing is no use of an object. */
    recall(path: string, version: Version, isListing = false): Metadata | null {
      const known = isListing ? remembered.peek(path) : remembered.get(path)
      return known && isSameVersion(known, version) ? known : null
    },

    /** Whether some version of it is remembered. */
    isRemembered: (path: string) => remembered.has(path),

    /** A listing fills what room there is, and drives nothing out. */
    remember(path: string, { mtimeNs, size, ino }: Version, { etag, type }: Metadata, isListing = false): void {
      if (!isListing || remembered.size < maxRemembered) remembered.set(path, { mtimeNs, size, ino, etag, type })
    },

    async find({ bucket, name }: ObjectPlace, version: Version): Promise<Metadata | null> {
      return readRecord(fileOf(bucket, shortHash(name), version))
    },

    /** Every record of the key, whatever version it is of. */
    async all({ bucket, name }: ObjectPlace): Promise<readonly Kept[]> {
      const nameHash = shortHash(name)
      const shard = join(folder, bucket, shardOf(nameHash))
      const sorted = ((await orNull(readdir(shard))) ?? []).map((file) => join(shard, file))
      const before = (unsorted.get(nameHash) ?? []).filter((file) => dirname(file) === join(folder, bucket))
      const own = [...sorted, ...before].filter((file) => nameHashIn(file) === nameHash)
      const kept = await Promise.all(own.map(readRecord))
      return kept.filter((each) => each !== null)
    },

    /** Writes the record of an upload for good. */
    async add({ bucket, name }: ObjectPlace, version: Version, { etag, type }: Metadata): Promise<void> {
      const path = fileOf(bucket, shortHash(name), version)
      if (!settled.has(dirname(path))) await settle(dirname(path))
      const file = await create(path)
      try {
        await file.writeFile(recordText({ name, etag, type }))
        await file.sync()
        await syncFolder(dirname(path))
      } catch (error) {
        await ignoring(unlink(path))
        throw error
      } finally {
        await file.close()
      }
    },

    /** Gives a record the name of the version that was found to be its own. Best effort: else it is found again. */
    async move({ bucket, name }: ObjectPlace, version: Version, { file }: Kept): Promise<void> {
      if (isOwner) await ignoring(rename(file, fileOf(bucket, shortHash(name), version)))
    },

    /** The record of a file that was put there by hand. Best effort: it can be made again. */
    async note({ bucket, name }: ObjectPlace, version: Version, etag: string): Promise<void> {
      const path = fileOf(bucket, shortHash(name), version)
      const write = async () => {
        makeFolder(dirname(path))
        await writeFile(path, recordText({ name, etag }), { mode: 0o600 })
      }
      if (isOwner) await ignoring(write())
    },

    /** Best effort: what is left over is read by nobody. */
    async drop({ bucket, name, path }: ObjectPlace, version: Version): Promise<void> {
      const known = remembered.peek(path)
      if (known && isSameVersion(known, version)) remembered.delete(path)
      await ignoring(unlink(fileOf(bucket, shortHash(name), version)))
    },

    /** That of a file that never became an object. */
    async dropUnused(bucket: string, nameHash: string, version: Version): Promise<void> {
      await ignoring(unlink(fileOf(bucket, nameHash, version)))
    },

    /** Drops it unless another process may be about to store its object. */
    async dropOld({ file }: Kept): Promise<void> {
      const found = await orNull(stat(file))
      if (isOwner && found && now() - found.mtimeMs > pendingMs) await ignoring(unlink(file))
    },
  }
}

export type MetadataStore = ReturnType<typeof createMetadata>

/** Null too for one that a crash left half written: no object was made of it, or it was noted and can be again. */
async function readRecord(file: string): Promise<Kept | null> {
  const text = await orNull(readFile(file, 'utf8'))
  try {
    const written = JSON.parse(text ?? 'null') as Written | null
    if (typeof written?.etag !== 'string') return null
    const { name, etag, ino, type = typeOfFile(name) } = written
    return { file, etag, type, version: versionIn(file, ino) }
  } catch {
    return null
  }
}
