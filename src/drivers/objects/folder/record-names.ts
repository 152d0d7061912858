import { createHash } from 'node:crypto'
import { opendir, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '../../data-dir.ts'
import { type FileVersion, ignoring } from './files.ts'

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

const pattern = /^([0-9a-f]{32})-(-?[0-9a-z]+)-([0-9a-z]+)(?:-([0-9a-z]+))?$/

/** The version in a record's file name; `ino` comes from the content of a version 0.1 record. */
export function versionIn(file: string, ino: string | undefined): FileVersion | null {
  const [, , mtime, size, inode] = pattern.exec(basename(file)) ?? []
  if (mtime === undefined || size === undefined) return null
  const known = inode === undefined ? ino : String(numberIn(inode))
  return known === undefined || !/^\d+$/.test(known)
    ? null
    : { mtimeNs: numberIn(mtime), size: numberIn(size), ino: BigInt(known) }
}

function numberIn(text: string): bigint {
  const isNegative = text.startsWith('-')
  let value = 0n
  for (const digit of text.slice(isNegative ? 1 : 0)) value = value * 36n + BigInt(Number.parseInt(digit, 36))
  return isNegative ? -value : value
}

/** Version 0.1 kept all records of a bucket in one folder. Their names change when their objects are next read. */
export async function sortIntoShards(folder: string): Promise<void> {
  for await (const file of unsortedFiles(folder)) {
    const shard = join(dirname(file), shardOf(nameHashIn(file)))
    makeFolder(shard)
    await ignoring(rename(file, join(shard, basename(file))))
  }
}

export async function unsortedIn(folder: string): Promise<Map<string, string[]>> {
  const files = await Array.fromAsync(unsortedFiles(folder))
  return Map.groupBy(files, nameHashIn)
}

async function* unsortedFiles(folder: string): AsyncGenerator<string> {
  for await (const bucket of await opendir(folder)) {
    if (!bucket.isDirectory()) continue
    const path = join(folder, bucket.name)
    for await (const { name } of await opendir(path)) if (pattern.test(name)) yield join(path, name)
  }
}
