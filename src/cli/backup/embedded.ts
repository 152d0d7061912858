import { constants } from 'node:fs'
import { open, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { secretName } from '../../drivers/accounts/jwt-secret.ts'
import { embeddedDatabases } from '../../drivers/embedded-databases.ts'
import { bucketsIn, pathOfObject, pathOfRecord, textOfRecord } from '../../drivers/objects/folder/archived.ts'
import { openFolderStore } from '../../drivers/objects/folder/folder.ts'
import { copySqlite, problemOf } from '../../drivers/sqlite/copy.ts'
import { Failed } from '../failure.ts'
import { counting, type Progress } from '../progress.ts'
import type { ArchiveWriter } from './archive-writer.ts'
import { embeddedIn } from './coverage.ts'

interface Job {
  readonly config: Pick<Config, 'DATABASE_URL' | 'STATUS_DATABASE_URL' | 'S3_ENDPOINT'>
  readonly dataDir: string
  /** Folder for the copy of a database: the archive needs its size up front. */
  readonly work: string
  readonly archive: ArchiveWriter
  readonly progress: Progress
  readonly signal: AbortSignal
}

/** Archives DATA_DIR. Returns the number of images. */
export async function addEverything(job: Job): Promise<number> {
  const { config, dataDir } = job
  if (job.progress.isShown) await measure(job)
  for (const name of embeddedIn(config)) await addDatabase(job, name)
  await addSecret(job)
  let images = 0
  if (config.S3_ENDPOINT === null) for (const bucket of await bucketsIn(dataDir)) images += await addBucket(job, bucket)
  return images
}

async function addDatabase({ dataDir, work, archive, signal, progress }: Job, name: string): Promise<void> {
  const known = embeddedDatabases.get(name)
  const [from, copy] = [join(dataDir, name), join(work, name)]
  if (known === undefined || !((await stat(from).catch(() => null))?.size ?? 0)) return
  await copySqlite(from, copy).catch((error) => {
    throw new Failed(`${from} cannot be copied: ${(error as Error).message}`)
  })
  const problem = problemOf(copy, known)
  if (problem !== null) throw new Failed(`${from} ${problem}.`)
  const part = progress.part()
  const handle = await open(copy, 'r')
  try {
    const { size, mtimeMs } = await handle.stat()
    part.is(size)
    const body = counting(handle.createReadStream({ autoClose: false }), part, signal)
    await archive.file({ name, size, modified: Math.trunc(mtimeMs), body })
  } finally {
    await handle.close()
    await unlink(copy)
  }
  part.over()
}

async function addSecret({ dataDir, archive }: Job): Promise<void> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  await using handle = await open(join(dataDir, secretName), flags).catch((error) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (handle === null) return
  const { mtimeMs } = await handle.stat()
  const bytes = await handle.readFile()
  await archive.file({ name: secretName, size: bytes.length, modified: Math.trunc(mtimeMs), body: only(bytes) })
}

/** Reads each object as one version, even during uploads and deletes. */
async function addBucket({ dataDir, archive, progress, signal }: Job, bucket: string): Promise<number> {
  let images = 0
  await archive.folder(`objects/${bucket}`)
  const store = await openFolderStore({ dataDir })
  for await (const page of store.list(bucket, { prefix: '', isFlat: false, signal })) {
    for (const { name } of page) {
      const reading = await store.read({ bucket, name }, signal)
      if (reading === null) continue
      const part = progress.part()
      const { head } = reading
      const { size, modified } = head
      part.is(size)
      const body = counting(reading.chunks(), part, signal)
      await archive.file({ name: pathOfObject({ bucket, name }), size, modified, body }).catch((error) => {
        if (signal.aborted || error instanceof Failed) throw error
        throw new Failed(`${bucket}/${name} cannot be copied: ${(error as Error).message}`)
      })
      const version = { mtimeNs: BigInt(modified) * 1_000_000n, size: BigInt(size), ino: 0n }
      const record = Buffer.from(textOfRecord(name, head))
      const path = pathOfRecord({ bucket, name }, version)
      await archive.file({ name: path, size: record.length, modified, body: only(record) })
      images++
      part.over()
    }
  }
  await store.close()
  return images
}

async function measure({ config, dataDir, progress, signal }: Job): Promise<void> {
  for (const name of embeddedIn(config))
    await stat(join(dataDir, name)).then(
      ({ size }) => progress.expect(size),
      () => {},
    )
  if (config.S3_ENDPOINT !== null) return
  const store = await openFolderStore({ dataDir })
  for (const bucket of await bucketsIn(dataDir))
    for await (const page of store.list(bucket, { prefix: '', isFlat: false, signal }))
      for (const { size } of page) progress.expect(size)
}

async function* only(bytes: Uint8Array) {
  yield bytes
}
