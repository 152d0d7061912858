import { randomBytes } from 'node:crypto'
import { lstat, mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kind } from '../../images/kinds.ts'
import { counted, inBytes } from '../amounts.ts'
import type { Cli } from '../cli-context.ts'
import { Failed } from '../failure.ts'
import { quoted } from '../output.ts'
import type { ProgressPart, Screen } from '../progress.ts'
import { type EachImageOptions, eachImage } from './each-image.ts'
import { exportDetails } from './export-details.ts'
import type { OpenImages, ServedObject } from './image-store.ts'
import { isSame, openLocalFile } from './local-file.ts'
import { writeWhole } from './write-whole.ts'

interface ExportOptions extends EachImageOptions {
  /** Where to write the details of the images; true: into the folder. */
  readonly details?: string | true
}

export async function exportImages(cli: Cli, screen: Screen, folder: string, options: ExportOptions): Promise<void> {
  const count = { exported: 0, bytes: 0, present: 0, gone: 0 }
  const failed: { readonly name: string; readonly reason: string }[] = []
  let written: { readonly file: string; readonly images: number } | null = null
  await eachImage(cli, screen, options, {
    async begin(images, signal) {
      const root = await folderFor(folder)
      const file = options.details === true ? join(root, 'details.csv') : options.details
      if (file !== undefined) written = { file, images: await exportDetails(cli, file, options.kind) }
      const bring = createExport(images, root, signal)
      return async (object, part) => {
        const result = await bring(object, part)
        count[result]++
        if (result === 'exported') count.bytes += object.size
      }
    },
    failed: ({ name }, reason) => void failed.push({ name, reason }),
    report() {
      const sum = `Exported ${counted(count.exported, 'image')} (${inBytes(count.bytes)}), ${count.present} already present, ${failed.length} failed.`
      const failure = `${counted(failed.length, 'image')} could not be exported; run the same command again to retry.`
      return {
        document: { ...count, failed, ...(written && { details: written }) },
        lines: [
          ...failed.map(({ name, reason }) => `failed  ${name}  ${reason}`),
          sum,
          ...(written ? [`Wrote the details of ${counted(written.images, 'image')} to ${quoted(written.file)}.`] : []),
        ],
        failure: failed.length > 0 ? failure : null,
      }
    },
  })
}

async function folderFor(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true })
    return await realpath(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Failed(`${quoted(folder)} cannot be used as a folder (${code}); choose another.`)
  }
}

type Result = 'exported' | 'present' | 'gone'

function createExport({ store, bucket }: OpenImages, root: string, signal: AbortSignal) {
  /** Must not be a link, which could lead outside of the target folder. */
  async function folderOf(kind: Kind): Promise<string> {
    const path = join(root, kind)
    await mkdir(path, { recursive: true }).catch(failHere)
    if ((await realpath(path)) !== path) throw new Failed(`${path} is a link; remove it`)
    return path
  }

  async function isThere(path: string, { name, etag, size }: ServedObject): Promise<boolean> {
    const found = await lstat(path).catch(() => null)
    if (!found?.isFile() || found.size !== size) return false
    await using file = await openLocalFile(path)
    return await isSame(file, { store, place: { bucket, name }, head: { etag, size }, signal })
  }

  return async (object: ServedObject, part: ProgressPart): Promise<Result> => {
    const { kind, filename, name } = object
    const folder = await folderOf(kind)
    const path = join(folder, filename)
    if (await isThere(path, object)) return 'present'
    const reading = await store.read({ bucket, name }, signal)
    if (reading === null) return 'gone'
    const temporary = join(folder, `.menagerie-${randomBytes(8).toString('hex')}.part`)
    const fail = (error: Error): never => {
      reading.discard()
      return failHere(error)
    }
    await writeWhole({ path, temporary }, fail, async (file) => {
      for await (const piece of reading.chunks()) {
        await file.writeFile(piece).catch(failHere)
        part.moved(piece.length)
      }
      const at = reading.head.modified / 1_000
      await file.utimes(at, at)
      signal.throwIfAborted()
    })
    return 'exported'
  }
}

/** Reports a failure of the target folder, not of the store. */
function failHere(error: unknown): never {
  throw new Failed((error as Error).message)
}
