import { realpath, stat } from 'node:fs/promises'
import { endsEarly } from '../../images/end-check.ts'
import type { Kind } from '../../images/kinds.ts'
import { keyOf } from '../../images/names.ts'
import { servedName } from '../../images/served-name.ts'
import { FirstBytes } from '../../images/shapes/first-bytes.ts'
import { createKeyedMutex } from '../../lib/keyed-mutex.ts'
import type { Cli } from '../cli-context.ts'
import { Failed } from '../failure.ts'
import { interruptible } from '../interrupt.ts'
import { quoted } from '../output.ts'
import { counting, createProgress, type Progress, type ProgressPart, type Screen } from '../progress.ts'
import { describeRows, planned } from './describe-images.ts'
import { readDetailsFile } from './details-file.ts'
import { type FoundFile, filesIn } from './image-files.ts'
import { type OpenImages, withStore } from './image-store.ts'
import { signatureBytes, typeOfBytes } from './image-types.ts'
import { type ImportReport, importReport } from './import-report.ts'
import { contentOf, isSame, type LocalContent, openLocalFile } from './local-file.ts'
import { put } from './objects.ts'
import { work } from './parallel.ts'

interface ImportOptions {
  readonly kind: Kind
  readonly parallel: number
  readonly dryRun: boolean
  /** The file with details of the images. */
  readonly details?: string
}

const hashLength = 12

export async function importImages(cli: Cli, screen: Screen, folder: string, options: ImportOptions): Promise<void> {
  const root = await folderOf(folder)
  const details = options.details === undefined ? null : await readDetailsFile(options.details)
  const keys = new Map<string, string>()
  const report = importReport(options, cli.out.json)
  await interruptible(cli, async (signal) => {
    const { kind, parallel, dryRun } = options
    const givenUp = await withStore(cli, dryRun ? 'pretend' : 'make', async (images) => {
      using progress = createProgress(screen, cli.clock)
      if (progress.isShown) await measure(root, progress, signal)
      const { backoffMs } = cli
      const act = createImport(images, { ...options, signal, report, keys: details && keys })
      const failed = ({ file }: FoundFile, reason: string) => report.failed(file, reason)
      return await work({ items: filesIn(root), parallel, signal, progress, backoffMs, act, failed })
    })
    if (details && !signal.aborted && givenUp === null)
      report.described(dryRun ? planned(details) : await describeRows(cli, details, { kind, keys, signal }))
    report.end(signal.aborted, givenUp)
    await cli.out.print(report.document(), report.lines())
    signal.throwIfAborted()
  })
  const failure = report.failure()
  if (failure !== null) throw new Failed(failure)
}

async function folderOf(folder: string): Promise<Buffer> {
  const real = await realpath(folder).catch(() => null)
  if (real === null || !(await stat(real)).isDirectory())
    throw new Failed(`${quoted(folder)} is not a folder; pass the folder with the images.`)
  return Buffer.from(real)
}

/** Only for a progress bar. */
async function measure(root: Buffer, progress: Progress, signal: AbortSignal): Promise<void> {
  for await (const { path, trouble } of filesIn(root)) {
    if (signal.aborted) return
    progress.expect(trouble === null ? ((await stat(path).catch(() => null))?.size ?? 0) : 0)
  }
}

interface Parts {
  readonly kind: Kind
  readonly dryRun: boolean
  readonly signal: AbortSignal
  readonly report: ImportReport
  /** Takes the name of each file in the store; null: nobody asks. */
  readonly keys: Map<string, string> | null
}

/** Imports one file. Never overwrites an object. */
function createImport(
  { store, bucket, config, source, shapes }: OpenImages,
  { kind, dryRun, signal, report, keys }: Parts,
) {
  const maxBytes = config.UPLOAD_MAX_BYTES
  /** The files of this run by their new names, case-insensitively, as on some file systems. */
  const taken = new Map<string, FoundFile>()
  const mutex = createKeyedMutex()

  async function upload(name: string, type: string, file: LocalContent, part: ProgressPart): Promise<void> {
    const place = { bucket, name }
    const first = new FirstBytes()
    const body = first.of(counting(file.chunks(), part))
    const { etag } = await put(store, { ...place, type, size: file.size, body, signal }, 'object store')
    await source.recheck(place, 'keep')
    return shapes.learn(place, etag, first)
  }

  async function isSameFile(found: FoundFile, file: LocalContent): Promise<boolean> {
    await using opened = await openLocalFile(found.path)
    const other = await contentOf(opened, config)
    return other.size === file.size && (await other.md5()) === (await file.md5())
  }

  async function bring(found: FoundFile, file: LocalContent, type: string, part: ProgressPart): Promise<void> {
    const names = [
      () => servedName(found.base),
      async () => servedName(found.base, (await file.md5()).slice(0, hashLength)),
    ]
    for (const nameOf of names) {
      const name = await nameOf()
      const holder = taken.get(name.toLowerCase())
      if (holder && (await isSameFile(holder, file)))
        return report.skipped(found.file, `same content as ${holder.file}`)
      const key = keyOf(kind, name)
      const place = { bucket, name: key }
      const head = await store.head(place, signal)
      const isThere = head !== null && (await isSame(file, { store, place, head, signal }))
      if (!isThere && (head || holder)) continue
      if (!isThere && !dryRun) await upload(key, type, file, part)
      taken.set(name.toLowerCase(), found)
      keys?.set(found.file, key)
      if (isThere) return report.present()
      return report.imported({ file: found.file, name: key, type, bytes: file.size }, file.metadata)
    }
    throw new Failed(
      `the names ${servedName(found.base)} and the one with a hash are taken by other images; rename the file`,
    )
  }

  async function importFile(found: FoundFile, part: ProgressPart): Promise<void> {
    await using file = await openLocalFile(found.path)
    part.is(file.size)
    if (file.size === 0) return report.skipped(found.file, 'empty file')
    const type = typeOfBytes(await file.read(0, signatureBytes))
    if (type === null) return report.skipped(found.file, 'not an image of a known type')
    if (file.size > maxBytes) throw new Failed(`${file.size} bytes is more than UPLOAD_MAX_BYTES (${maxBytes})`)
    const isCutOff = await endsEarly(file.chunks())
    await bring(found, await contentOf(file, config), type, part)
    if (isCutOff) report.cutOff(found.file)
  }

  return async (found: FoundFile, part: ProgressPart): Promise<void> => {
    const { file, base, trouble } = found
    if (trouble?.isFailure) throw new Failed(trouble.reason)
    if (trouble) return report.skipped(file, trouble.reason)
    // Files with the same name are imported in folder order.
    await mutex.run(servedName(base).toLowerCase(), () => importFile(found, part))
  }
}
