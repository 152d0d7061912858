import { readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { typeOfFile } from '../../../images/image-types.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createLru } from '../../../lib/lru.ts'
import { makeFolder } from '../../data-dir.ts'
import { codeOf, createFile, type FileVersion, ignoring, isSameVersion, orNull, syncFolder } from './files.ts'
import { fileOfRecord, nameHashIn, recordText, shardOf, shortHash, versionIn } from './record-names.ts'

export interface Metadata {
  /** The MD5 of the bytes. */
  readonly etag: string
  readonly type: string | null
}

/** An object and the path of its file. */
export interface ObjectPath {
  readonly bucket: string
  readonly name: string
  readonly path: string
}

/** The content of a record and, if known, the version that it describes. */
export interface Kept extends Metadata {
  readonly file: string
  readonly version: FileVersion | null
}

/** As stored. No type means that the file was put there by hand. */
interface Written {
  readonly name: string
  readonly etag: string
  readonly type?: string | null
}

/** About 4 MB. */
const maxRemembered = 10_000
/** Longer than any upload takes from writing its record to moving its object into place. */
const pendingMs = 3_600_000

interface MetadataOptions extends Pick<Clock, 'now'> {
  /** If false, only uploads write here. */
  readonly isOwner: boolean
}

/**
 * An object's metadata is in records: one file per version, beside the tree, named after the key and the inode, size
 * and time of the object's file. A record with that name is trusted. After a copy no record has it, and the MD5 of the
 * bytes tells which one matches.
 */
export function createMetadata(folder: string, { now, isOwner }: MetadataOptions) {
  const remembered = createLru<FileVersion & Metadata>(maxRemembered)
  const fileOf = (bucket: string, nameHash: string, version: FileVersion) =>
    join(folder, bucket, fileOfRecord(nameHash, version))

  const createRecord = createRecordFiles(dirname(folder))

  /** Single-flight: a file is identified once for all concurrent requests. */
  const pending = new Map<string, Promise<Metadata | null>>()
  let hashedBytes = 0

  return {
    now,
    hashed(bytes: number): void {
      hashedBytes += bytes
    },
    /** Total bytes read to identify files. */
    hashedBytes: () => hashedBytes,

    onceAtATime({ bucket, name }: ObjectPath, version: FileVersion, act: () => Promise<Metadata | null>) {
      const key = fileOf(bucket, shortHash(name), version)
      const running = pending.get(key) ?? act().finally(() => pending.delete(key))
      pending.set(key, running)
      return running
    },

    /** A listing does not count as use. */
    recall(path: string, version: FileVersion, isListing = false): Metadata | null {
      const known = isListing ? remembered.peek(path) : remembered.get(path)
      return known && isSameVersion(known, version) ? known : null
    },

    /** Whether any version is remembered. */
    isRemembered: (path: string) => remembered.has(path),

    /** A listing evicts nothing. */
    remember(path: string, { mtimeNs, size, ino }: FileVersion, { etag, type }: Metadata, isListing = false): void {
      if (!isListing || remembered.size < maxRemembered) remembered.set(path, { mtimeNs, size, ino, etag, type })
    },

    async find({ bucket, name }: ObjectPath, version: FileVersion): Promise<Metadata | null> {
      return readRecord(fileOf(bucket, shortHash(name), version))
    },

    /** The records of all versions. */
    async all({ bucket, name }: ObjectPath): Promise<readonly Kept[]> {
      const nameHash = shortHash(name)
      const shard = join(folder, bucket, shardOf(nameHash))
      const own = ((await orNull(readdir(shard))) ?? []).filter((file) => nameHashIn(file) === nameHash)
      const kept = await Promise.all(own.map((file) => readRecord(join(shard, file))))
      return kept.filter((each) => each !== null)
    },

    /** Stores the record of an upload durably. */
    async add({ bucket, name }: ObjectPath, version: FileVersion, { etag, type }: Metadata): Promise<void> {
      const path = fileOf(bucket, shortHash(name), version)
      await using file = await createRecord(path)
      try {
        await file.writeFile(recordText({ name, etag, type }))
        await file.sync()
        await syncFolder(dirname(path))
      } catch (error) {
        await ignoring(unlink(path))
        throw error
      }
    },

    /** Renames a record to match its version. Best effort: otherwise the file is identified again. */
    async move({ bucket, name }: ObjectPath, version: FileVersion, { file }: Kept): Promise<void> {
      if (isOwner) await ignoring(rename(file, fileOf(bucket, shortHash(name), version)))
    },

    /** Stores the record of a file put there by hand. Best effort: it can be recreated. */
    async note({ bucket, name }: ObjectPath, version: FileVersion, etag: string): Promise<void> {
      const path = fileOf(bucket, shortHash(name), version)
      const write = async () => {
        makeFolder(dirname(path))
        await writeFile(path, recordText({ name, etag }), { mode: 0o600 })
      }
      if (isOwner) await ignoring(write())
    },

    /** Best effort: nothing reads a leftover record. */
    async drop({ bucket, name, path }: ObjectPath, version: FileVersion): Promise<void> {
      const known = remembered.peek(path)
      if (known && isSameVersion(known, version)) remembered.delete(path)
      await ignoring(unlink(fileOf(bucket, shortHash(name), version)))
    },

    /** For a file that never became an object. */
    async dropUnused(bucket: string, nameHash: string, version: FileVersion): Promise<void> {
      await ignoring(unlink(fileOf(bucket, nameHash, version)))
    },

    /** Keeps a record whose object another process may be about to store. */
    async dropOld({ file }: Kept): Promise<void> {
      const found = await orNull(stat(file))
      if (isOwner && found && now() - found.mtimeMs > pendingMs) await ignoring(unlink(file))
    },
  }
}

export type MetadataStore = ReturnType<typeof createMetadata>

/** Creates files in folders below `root`, after making those folders durable. */
function createRecordFiles(root: string) {
  /** Folders known to be durable. */
  const settled = new Set<string>()

  async function settle(shard: string): Promise<void> {
    makeFolder(shard)
    for (let each = shard; each !== root; each = dirname(each)) {
      if (!settled.has(each)) await syncFolder(dirname(each))
      settled.add(each)
    }
  }

  /** Replaces a record left by a crash: its inode now belongs to another file. */
  return async function create(path: string) {
    if (!settled.has(dirname(path))) await settle(dirname(path))
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
}

/** Null also if a crash left it incomplete: then it has no object, or can be recreated. */
async function readRecord(file: string): Promise<Kept | null> {
  const text = await orNull(readFile(file, 'utf8'))
  try {
    const written = JSON.parse(text ?? 'null') as Written | null
    if (typeof written?.etag !== 'string') return null
    const { name, etag, type = typeOfFile(name) } = written
    return { file, etag, type, version: versionIn(file) }
  } catch {
    return null
  }
}
