import type { Dir } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ListedObject, ListOptions } from '../../../images/object-store.ts'
import { type FileVersion, isRealFolder, orNull, versionAt, versionNow } from './files.ts'
import { metadataOf } from './identify.ts'
import type { MetadataStore, ObjectPath } from './metadata.ts'
import { beginOf, folderOf, isTooDeep, keyOf } from './paths.ts'
import { modifiedOf } from './read.ts'

const concurrency = 8
/** Bounds the time of a page whose files must be read. */
const maxHashedPerPage = 67_108_864
const maxAttempts = 3
const entriesAtOnce = 256
/** A millisecond of the event loop. */
const statsPerTurn = 100
const slowStatMs = 2

export interface BucketFolder {
  readonly bucket: string
  readonly path: string
}

export async function* listFolder(
  metadata: MetadataStore,
  folder: BucketFolder,
  options: ListOptions & { readonly maxPageSize: number },
): AsyncGenerator<readonly ListedObject[]> {
  let objects: ObjectPath[] = []
  for await (const object of walk(folder, options)) {
    objects.push(object)
    if (objects.length < options.maxPageSize) continue
    yield* lookAt(metadata, objects, options)
    objects = []
  }
  if (objects.length > 0) yield* lookAt(metadata, objects, options)
}

/** Skips what is not a regular file or has vanished. */
async function* lookAt(
  metadata: MetadataStore,
  all: readonly ObjectPath[],
  { known, signal }: ListOptions,
): AsyncGenerator<readonly ListedObject[]> {
  const { unchanged, rest: objects } = await sortOut(metadata, all, known, signal)
  if (unchanged.length > 0) yield unchanged
  let next = 0
  while (next < objects.length) {
    const found: ListedObject[] = []
    const maxHashed = metadata.hashedBytes() + maxHashedPerPage
    const identify = async () => {
      while (next < objects.length && metadata.hashedBytes() < maxHashed) {
        const object = objects[next++] as ObjectPath
        signal?.throwIfAborted()
        const one = await listed(metadata, object, known)
        if (one) found.push(one)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, identify))
    yield found
  }
}

/**
 * Most files are as they were listed before, which a synchronous lstat tells for a fifth of the CPU time of one in the
 * thread pool. Once the disk takes its time, the thread pool does the others.
 */
async function sortOut(
  metadata: MetadataStore,
  objects: readonly ObjectPath[],
  known: ListOptions['known'],
  signal: AbortSignal | undefined,
): Promise<{ readonly unchanged: readonly ListedObject[]; readonly rest: readonly ObjectPath[] }> {
  const unchanged: ListedObject[] = []
  const rest: ObjectPath[] = []
  if (!known) return { unchanged, rest: objects }
  let isSlow = false
  for (const [index, object] of objects.entries()) {
    if (index % statsPerTurn === 0) await nextTurn()
    signal?.throwIfAborted()
    const before = known(object.name)
    if (isSlow || !before || metadata.isRemembered(object.path)) {
      rest.push(object)
      continue
    }
    const startedAt = performance.now()
    const version = versionNow(object.path)
    isSlow = performance.now() - startedAt > slowStatMs
    const { etag, size, modified } = before
    if (version && isAsBefore(version, before)) unchanged.push({ name: object.name, etag, size, modified })
    else rest.push(object)
  }
  return { unchanged, rest }
}

async function listed(
  metadata: MetadataStore,
  object: ObjectPath,
  known: ListOptions['known'],
): Promise<ListedObject | null> {
  const { name } = object
  for (let turn = 0; turn < maxAttempts; turn++) {
    const version = await versionAt(object.path)
    if (version === null) return null
    const recalled = metadata.recall(object.path, version, true)
    const before = known?.(name)
    // If another version is remembered, the file has changed, even if its size and time have not.
    const isUnseen = recalled === null && !metadata.isRemembered(object.path)
    const found =
      before && isUnseen && isAsBefore(version, before)
        ? before
        : (recalled ?? (await metadataOf(metadata, object, version, true)))
    if (found !== null) return { name, etag: found.etag, size: Number(version.size), modified: modifiedOf(version) }
  }
  // The file is being overwritten; the next listing has it.
  return null
}

const isAsBefore = (version: FileVersion, { size, modified }: Omit<ListedObject, 'name'>) =>
  Number(version.size) === size && modifiedOf(version) === modified

/** Streams every file whose path is a key: a million take no memory. Opens as many folders as a key has slashes. */
export async function* walk(
  { bucket, path }: BucketFolder,
  { prefix, isFlat, onFolder, signal }: ListOptions,
): AsyncGenerator<ObjectPath> {
  const start = folderOf(prefix)
  const open: { readonly dir: Dir; readonly tree: string }[] = []
  const enter = async (tree: string) => {
    const dir = await openReal(tree === '' ? path : join(path, tree))
    if (dir) open.push({ dir, tree: tree === '' ? '' : `${tree}/` })
  }
  const isWanted = (key: string) => key.startsWith(prefix) && !(isFlat && key.includes('/', prefix.length))
  const mayHold = (begin: string) =>
    (begin.startsWith(prefix) || prefix.startsWith(begin)) &&
    !(isFlat && begin.includes('/', prefix.length)) &&
    !isTooDeep(begin)
  try {
    if (start !== null) await enter(start)
    for (let at = open.at(-1); at; at = open.at(-1)) {
      signal?.throwIfAborted()
      const entry = await orNull(at.dir.read())
      if (entry === null) {
        open.pop()
        await at.dir.close()
        continue
      }
      const tree = at.tree + entry.name
      if (entry.isDirectory()) {
        const begin = beginOf(tree)
        if (mayHold(begin)) await enter(tree)
        else if (onFolder && isFlat && begin.startsWith(prefix)) {
          if (await mayHoldObjects({ bucket, path }, { prefix: begin, isFlat: false, ...(signal && { signal }) }))
            onFolder(begin)
        }
        continue
      }
      const name = entry.isFile() ? keyOf(tree) : null
      if (name !== null && isWanted(name)) yield { bucket, name, path: join(path, tree) }
    }
  } finally {
    for (const { dir } of open) await dir.close()
  }
}

/** One that cannot be read may: it is no reason to fail, since nothing of it is listed. */
async function mayHoldObjects(folder: BucketFolder, options: ListOptions): Promise<boolean> {
  try {
    for await (const _ of walk(folder, options)) return true
    return false
  } catch {
    options.signal?.throwIfAborted()
    return true
  }
}

/** Null if it is no longer a folder, or is a link. */
async function openReal(path: string): Promise<Dir | null> {
  return (await isRealFolder(path)) ? orNull(opendir(path, { bufferSize: entriesAtOnce })) : null
}
