import { existsSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bucketsIn } from '../drivers/objects/folder/archived.ts'
import type { Kinds } from '../images/kinds.ts'
import { keyOf } from '../images/names.ts'
import type { ObjectStore } from '../images/object-store.ts'
import type { Logger } from '../process/logger.ts'

interface Filling {
  readonly store: ObjectStore
  readonly bucket: string
  readonly kinds: Kinds
  readonly dataDir: string
  readonly log: Logger
  readonly signal: AbortSignal
}

const folder = fileURLToPath(new URL('../../samples/', import.meta.url))
const writtenAtOnce = 8

/**
 * Fills an empty store with the project's sample images, so that the first request for an image succeeds. A marker file
 * exists until all are written, so that a start after a kill continues. Two instances that start at once both write
 * them.
 */
export async function fillWithSamples(filling: Filling): Promise<void> {
  const { store, bucket, kinds, dataDir, log, signal } = filling
  const mark = join(dataDir, 'objects', '.samples')
  try {
    if (!existsSync(mark)) {
      if (!(await isEmpty(store, bucket))) return
      const other = await filledBucket(filling)
      if (other !== null)
        return log.warn({ bucket, other }, `there are no images in ${bucket}, but in ${other}: check S3_BUCKET`)
    }
    await writeFile(mark, '')
    const samples = await findSamples(kinds)
    const left = samples.values()
    await Promise.all(Array.from({ length: writtenAtOnce }, () => putEach(filling, left)))
    await rm(mark, { force: true })
    log.info({ images: samples.length }, 'filled the empty store with sample images')
  } catch (error) {
    if (!signal.aborted) log.error({ err: error }, 'could not fill the store with sample images')
  }
}

async function isEmpty(store: ObjectStore, bucket: string, prefix = ''): Promise<boolean> {
  for await (const page of store.list(bucket, { prefix, isFlat: false })) if (page.length > 0) return false
  return true
}

/** Another bucket of the folder that has images. */
async function filledBucket({ store, bucket, dataDir, kinds }: Filling): Promise<string | null> {
  const others = (await bucketsIn(dataDir)).filter((name) => name !== bucket)
  for (const name of others) for (const kind of kinds) if (!(await isEmpty(store, name, keyOf(kind, '')))) return name
  return null
}

async function findSamples(kinds: Kinds): Promise<{ readonly key: string; readonly path: string }[]> {
  const ofKinds = [...kinds].map(async (kind) => {
    const files = await readdir(join(folder, kind)).catch(() => [])
    return files.map((file) => ({ key: keyOf(kind, file), path: join(folder, kind, file) }))
  })
  return (await Promise.all(ofKinds)).flat()
}

async function putEach(
  { store, bucket, signal }: Filling,
  left: Iterator<{ key: string; path: string }>,
): Promise<void> {
  for (let next = left.next(); !next.done; next = left.next()) {
    const bytes = await readFile(next.value.path)
    const body = (async function* () {
      yield bytes
    })()
    await store.write({ bucket, name: next.value.key, type: 'image/png', size: bytes.length, body, signal })
  }
}
