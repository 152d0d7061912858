import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { typeOfFile } from '../../../images/image-types.ts'
import { type FileVersion, isSameVersion, orNull } from './files.ts'
import type { Metadata, MetadataStore, ObjectPath } from './metadata.ts'

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants

const maxPieceBytes = 262_144
/** Min read size, for a file that grows while it is read. */
const minPieceBytes = 4_096
/** The coarsest clock of a file system: two writes within a tick have the same time. */
const tickMs = 2_000

/** Null if that version is no longer the current one: its record was deleted with it. */
export async function metadataOf(
  metadata: MetadataStore,
  object: ObjectPath,
  version: FileVersion,
  isListing = false,
): Promise<Metadata | null> {
  const known = metadata.recall(object.path, version, isListing)
  if (known) return known
  const found = await metadata.find(object, version)
  if (found === null) return metadata.onceAtATime(object, version, () => identify(metadata, object, version, isListing))
  metadata.remember(object.path, version, found, isListing)
  return found
}

/**
 * For a file without a matching record: copied, overwritten or put there by hand. The file is read once, and the record
 * with its MD5 is renamed to match. Without such a record, the extension decides the type.
 */
async function identify(
  metadata: MetadataStore,
  object: ObjectPath,
  version: FileVersion,
  isListing: boolean,
): Promise<Metadata | null> {
  const records = await metadata.all(object)
  const fitting = records.find((record) => isSameVersion(version, record.version))
  const sum = fitting ? { md5: fitting.etag, isSettled: true } : await checksumOf(metadata, object.path, version)
  if (sum === null) return null
  const own = fitting ?? records.find(({ etag }) => etag === sum.md5)
  const found = { etag: sum.md5, type: own ? own.type : typeOfFile(object.name) }
  if (!sum.isSettled) return found
  await (own ? metadata.move(object, version, own) : metadata.note(object, version, sum.md5))
  for (const record of records) if (record !== own) await metadata.dropOld(record)
  metadata.remember(object.path, version, found, isListing)
  return found
}

/** Null if the file is replaced, or changes while it is read. */
async function checksumOf(metadata: MetadataStore, path: string, version: FileVersion) {
  await using file = await orNull(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
  if (file === null || !isSameVersion(version, await file.stat({ bigint: true }))) return null
  const md5 = createHash('md5')
  // V8 collects its whole heap for every few MB of buffers, so those for small files are small.
  const pieceBytes = Math.max(minPieceBytes, Math.min(maxPieceBytes, Number(version.size) + 1))
  const piece = Buffer.allocUnsafe(pieceBytes)
  for (;;) {
    const { bytesRead } = await file.read(piece)
    if (bytesRead === 0) break
    metadata.hashed(bytesRead)
    md5.update(piece.subarray(0, bytesRead))
  }
  const after = await file.stat({ bigint: true })
  if (!isSameVersion(version, after)) return null
  // If a file has only just changed, its next change may get the same time.
  const isSettled = Math.abs(metadata.now() - Number(after.ctimeMs)) > tickMs
  return { md5: md5.digest('hex'), isSettled }
}
