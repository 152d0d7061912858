import { createHash } from 'node:crypto'
import { opendir, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '../../data-dir.ts'
import { ignoring, type Version } from './files.ts'

/* Where records lie below the folder of their bucket: <3 digits>/<key's hash>-<time>-<size>-<inode>. */

export const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** A few hundred records in a folder where there are a million: those of a key are looked for by reading it. */
export const shardOf = (nameHash: string) => nameHash.slice(0, 3)

export function fileOfRecord(nameHash: string, { mtimeNs, size, ino }: Version): string {
  const version = [mtimeNs, size, ino].map((each) => each.toString(36)).join('-')
  return join(shardOf(nameHash), `${nameHash}-${version}`)
}

export const nameHashIn = (file: string) => basename(file).slice(0, 32)

export const recordText = (record: object) => JSON.stringify(record)

const pattern = /^([0-9a-f]{32})-(-?[0-9a-z]+)-([0-9a-z]+)(?:-([0-9a-z]+))?$/

/** The version that a record's file is named by; `ino` is what version 0.1 wrote into it instead. */
export function versionIn(file: string, ino: string | undefined): Version | null {
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

/** Version 0.1 had the records of a bucket in one folder. They keep their names until their objects are next read. */
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
