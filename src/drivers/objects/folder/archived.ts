import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isBucketName } from '../../../images/bucket-name.ts'
import type { ObjectRef } from '../../../images/object-store.ts'
import { type FileVersion, orNull } from './files.ts'
import type { Metadata } from './metadata.ts'
import { keyOf, treeOf } from './paths.ts'
import { fileOfRecord, recordText, shortHash } from './record-names.ts'

/* The folder store in an archive: each file under its own path, then its record. */

const objectsFolder = 'objects'
const recordsFolder = `${objectsFolder}/.details`

export async function bucketsIn(dataDir: string): Promise<string[]> {
  const entries = (await orNull(readdir(join(dataDir, objectsFolder), { withFileTypes: true }))) ?? []
  return entries.filter((entry) => entry.isDirectory() && isBucketName(entry.name)).map(({ name }) => name)
}

export const pathOfObject = ({ bucket, name }: ObjectRef) => `${objectsFolder}/${bucket}/${treeOf(name)}`

export const pathOfRecord = ({ bucket, name }: ObjectRef, version: FileVersion) =>
  `${recordsFolder}/${bucket}/${fileOfRecord(shortHash(name), version).replaceAll('\\', '/')}`

export const textOfRecord = (name: string, { etag, type }: Metadata) => recordText({ name, etag, type })

/** The object's name; null if this is not a record. */
export function nameInRecord(record: Buffer): string | null {
  try {
    const { name, etag } = JSON.parse(record.toString())
    return typeof name === 'string' && typeof etag === 'string' ? name : null
  } catch {
    return null
  }
}

export type Archived =
  | { readonly what: 'bucket' }
  | { readonly what: 'object'; readonly ref: ObjectRef }
  | { readonly what: 'record'; readonly bucket: string }

/** What a path in an archive is; null if this store never writes such a path. */
export function archivedAt(path: string): Archived | null {
  const [top, bucket = '', ...rest] = path.split('/')
  if (top !== objectsFolder) return null
  if (bucket === '.details') {
    const isRecord = /^[a-z0-9.-]+\/[0-9a-f]{3}\/[0-9a-f]{32}(-+[0-9a-z]+){3}$/.test(rest.join('/'))
    return isRecord && isBucketName(rest[0] ?? '') ? { what: 'record', bucket: rest[0] ?? '' } : null
  }
  if (!isBucketName(bucket)) return null
  if (rest.join('/') === '') return { what: 'bucket' }
  const name = keyOf(rest.join('/'))
  return name === null ? null : { what: 'object', ref: { bucket, name } }
}
