import { createHash } from 'node:crypto'
import { readFile, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { typeOfFile } from '../../../lib/image-types.ts'
import { makeFolder } from '../../data-dir.ts'
import { codeOf, createFile, ignoring, isSameVersion, orNull, syncFolder, type Version, versionAt } from './files.ts'

export interface Details {
  readonly etag: string
  readonly type: string | null
}

/** `path` is the object's file. */
export interface Place {
  readonly bucket: string
  readonly name: string
  readonly path: string
}

/** As on disk: the inode tells the details of one file from those of another with the same times. */
interface Kept extends Details {
  readonly name: string
  readonly ino: string
}

/** What is known of files without reading theirs again: some 4 MB. */
const mostRemembered = 10_000

export const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

/**
 * What a file itself cannot say of an object, in a file beside the tree for each version. Its name is made of the key,
 * and of size and time of the version: so old details never meet new bytes, and a copy of DATA_DIR keeps them.
 */
export function createDetails(folder: string) {
  const remembered = new LRUCache<string, Version & Details>({ max: mostRemembered })
  const fileOf = (bucket: string, nameHash: string, { mtimeNs, size }: Version) =>
    join(folder, bucket, `${nameHash}-${mtimeNs.toString(36)}-${size.toString(36)}`)

  /** Buckets whose folder here is known to be on disk for good. */
  const settled = new Set<string>()

  async function settle(bucket: string): Promise<void> {
    makeFolder(join(folder, bucket))
    await syncFolder(folder)
    await syncFolder(dirname(folder))
    settled.add(bucket)
  }

  async function readKept(file: string): Promise<Kept | null> {
    const text = await orNull(readFile(file, 'utf8'))
    try {
      const kept = JSON.parse(text ?? 'null') as Kept | null
      return typeof kept?.etag === 'string' ? kept : null
    } catch {
      // Written at the time of a crash; no object was made of it.
      return null
    }
  }

  return {
    recall(path: string, version: Version): Details | null {
      const known = remembered.get(path)
      return known && isSameVersion(known, version) ? known : null
    },

    /** A listing fills what room there is, and drives nothing out. */
    remember(path: string, { mtimeNs, size, ino }: Version, { etag, type }: Details, isListing = false): void {
      if (!isListing || remembered.size < mostRemembered) remembered.set(path, { mtimeNs, size, ino, etag, type })
    },

    async find({ bucket, name }: Place, version: Version): Promise<Details | null> {
      return readKept(fileOf(bucket, shortHash(name), version))
    },

    /** Writes them for good; false if another version with this size and time has them. */
    async add({ bucket, name }: Place, version: Version, { etag, type }: Details): Promise<boolean> {
      const path = fileOf(bucket, shortHash(name), version)
      if (!settled.has(bucket)) await settle(bucket)
      const file = await createFile(path).catch(async (error) => {
        if (codeOf(error) === 'EEXIST') return null
        if (codeOf(error) !== 'ENOENT') throw error
        await settle(bucket)
        return createFile(path)
      })
      if (file === null) return false
      const kept: Kept = { name, etag, type, ino: String(version.ino) }
      try {
        await file.writeFile(JSON.stringify(kept))
        await file.sync()
        await syncFolder(join(folder, bucket))
      } catch (error) {
        await ignoring(unlink(path))
        throw error
      } finally {
        await file.close()
      }
      return true
    },

    /** Best effort: what is left over is read by nobody. */
    async drop({ bucket, name, path }: Place, version: Version): Promise<void> {
      const known = remembered.peek(path)
      if (known && isSameVersion(known, version)) remembered.delete(path)
      await ignoring(unlink(fileOf(bucket, shortHash(name), version)))
    },

    /** Those of a file that never became an object. */
    async dropUnused(bucket: string, nameHash: string, version: Version): Promise<void> {
      const file = fileOf(bucket, nameHash, version)
      const kept = await readKept(file)
      if (kept?.ino === String(version.ino)) await ignoring(unlink(file))
    },
  }
}

export type DetailsStore = ReturnType<typeof createDetails>

/** Null where that version is not the current one any more: its details were dropped with it. */
export async function detailsOf(details: DetailsStore, place: Place, version: Version, isListing = false) {
  const known = details.recall(place.path, version)
  if (known) return known
  let found = await details.find(place, version)
  if (found === null) {
    if (!isSameVersion(version, await versionAt(place.path))) return null
    found = detailsByHand(place.name, version)
  }
  details.remember(place.path, version, found, isListing)
  return found
}

/** For a file that somebody put there by hand. The ETag can be no MD5: it has hyphens. */
const detailsByHand = (name: string, { ino, mtimeNs, size }: Version): Details => ({
  etag: [size, mtimeNs, ino].map((each) => each.toString(16)).join('-'),
  type: typeOfFile(name),
})
