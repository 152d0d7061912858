import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import type { FileVersion } from './files.ts'

/* Paths of records within the folder of their bucket: <3 digits>/<key's hash>-<time>-<size>-<inode>. */

export const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** A million records are a few hundred per shard; those of a key are found by reading its shard. */
export const shardOf = (nameHash: string) => nameHash.slice(0, 3)

export function fileOfRecord(nameHash: string, { mtimeNs, size, ino }: FileVersion): string {
  const version = [mtimeNs, size, ino].map((each) => each.toString(36)).join('-')
  return join(shardOf(nameHash), `${nameHash}-${version}`)
}

export const nameHashIn = (file: string) => basename(file).slice(0, 32)

export const recordText = (record: object) => JSON.stringify(record)

const pattern = /^[0-9a-f]{32}-(-?[0-9a-z]+)-([0-9a-z]+)-([0-9a-z]+)$/

/** The version in a record's file name. */
export function versionIn(file: string): FileVersion | null {
  const [, mtime, size, ino] = pattern.exec(basename(file)) ?? []
  if (mtime === undefined || size === undefined || ino === undefined) return null
  return { mtimeNs: numberIn(mtime), size: numberIn(size), ino: numberIn(ino) }
}

function numberIn(text: string): bigint {
  const isNegative = text.startsWith('-')
  let value = 0n
  for (const digit of text.slice(isNegative ? 1 : 0)) value = value * 36n + BigInt(Number.parseInt(digit, 36))
  return isNegative ? -value : value
}
