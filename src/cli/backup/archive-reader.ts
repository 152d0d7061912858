import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { createTarDecoder, type TarHeader } from 'modern-tar'
import { secretName } from '../../drivers/accounts/jwt-secret.ts'
import { embeddedDatabases } from '../../drivers/embedded-databases.ts'
import { archivedAt, nameInRecord, pathOfObject, pathOfRecord } from '../../drivers/objects/folder/archived.ts'
import type { ObjectRef } from '../../images/object-store.ts'
import { Failed } from '../failure.ts'
import { quoted } from '../output.ts'
import { compareSums, sumLine, sumsName } from './sums.ts'
import { createTree } from './tree.ts'

export interface Extracted {
  files: number
  bytes: number
  images: number
}

const maxRecordBytes = 65_536
/** The range of Date. */
const maxDateMs = 8_640_000_000_000_000

/** Extracts an archive into an empty folder, its checksums into `work`. Rejects what `cli backup` would not write. */
export async function extract(
  archive: AsyncIterable<Uint8Array>,
  { into, work, signal }: { into: string; work: string; signal: AbortSignal },
): Promise<Extracted> {
  const done: Extracted = { files: 0, bytes: 0, images: 0 }
  const ownSums = join(work, 'sums')
  const sums = await open(ownSums, 'wx', 0o600)
  const tree = createTree(into, signal)
  /** The object whose record must come next. */
  let last: ObjectRef | null = null
  let isComplete = false

  /** The target is the path in the archive, except for a record, whose name depends on the object's new file. */
  async function targetOf(name: string, body: AsyncIterable<Uint8Array>) {
    if (name === secretName || embeddedDatabases.has(name)) return { path: name, body }
    const found = archivedAt(name)
    if (found?.what === 'object') {
      last = found.ref
      done.images++
      return { path: name, body }
    }
    if (found?.what !== 'record' || last === null) throw unexpected(name)
    const record = await smallBody(name, body)
    if (found.bucket !== last.bucket || nameInRecord(record) !== last.name) throw unexpected(name)
    const version = await tree.versionOf(pathOfObject(last))
    const path = pathOfRecord(last, version)
    last = null
    return { path, body: [record] }
  }

  async function take(header: TarHeader, body: AsyncIterable<Uint8Array>): Promise<void> {
    const { name, type } = header
    if (isComplete) throw new Failed(`The archive was modified: it continues after ${sumsName}.`)
    const folder = name.replace(/\/$/, '')
    if (type === 'directory' && archivedAt(folder)?.what === 'bucket') return tree.folder(folder)
    if (type !== 'file') throw new Failed(`The archive was modified: ${quoted(name)} is a ${type}.`)
    if (name === sumsName) {
      await sums.close()
      await compareSums(ownSums, body)
      isComplete = true
      return
    }
    const target = await targetOf(name, body)
    const { sum, bytes } = await tree.file(target.path, modifiedOf(header), target.body)
    await sums.appendFile(sumLine(sum, name))
    done.files++
    done.bytes += bytes
  }

  try {
    for await (const { header, body } of decoded(archive, signal)) {
      signal.throwIfAborted()
      await take(header, body)
    }
    if (!isComplete) throw new Failed('The archive is incomplete: it ends before its checksums.')
    await tree.sync()
    return done
  } catch (error) {
    signal.throwIfAborted()
    throw isOfDecoder(error) ? new Failed(`The archive is damaged or incomplete: ${(error as Error).message}`) : error
  } finally {
    await tree.settle()
    await sums.close().catch(() => {})
  }
}

const unexpected = (name: string) => new Failed(`The archive was modified: unexpected entry ${quoted(name)}.`)

function decoded(archive: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  const { readable, writable } = createTarDecoder({ strict: true })
  // Errors surface on the readable side.
  ReadableStream.from(uncompressed(archive))
    .pipeTo(writable, { signal })
    .catch(() => {})
  return readable
}

async function* uncompressed(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true
  for await (const chunk of archive) {
    if (isFirst && chunk[0] === 0x1f && chunk[1] === 0x8b)
      throw new Failed('The archive is compressed with gzip; decompress it first.')
    isFirst = false
    yield chunk
  }
}

/** The decoder throws plain errors; file system errors have a `syscall`. */
const isOfDecoder = (error: unknown) => error instanceof Error && error.constructor === Error && !('syscall' in error)

/** In milliseconds since 1970. */
function modifiedOf({ name, pax, mtime }: TarHeader): number {
  const modified = pax?.mtime === undefined ? (mtime?.getTime() ?? 0) : Math.round(Number(pax.mtime) * 1_000)
  if (Math.abs(modified) <= maxDateMs) return modified
  throw new Failed(
    `The archive was modified: ${quoted(name)} has an impossible time (${quoted(String(pax?.mtime ?? mtime))}).`,
  )
}

async function smallBody(name: string, body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes > maxRecordBytes) throw unexpected(name)
  }
  return Buffer.concat(pieces)
}
