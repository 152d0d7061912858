import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { createTarPacker, type TarHeader } from 'modern-tar'
import { sumLine, sumsName } from './sums.ts'

/** Tar headers have whole seconds since 1970 in eleven octal digits, up to the year 2242. */
const maxHeaderMs = (8 ** 11 - 1) * 1_000

interface ArchivedFile {
  readonly name: string
  readonly size: number
  /** Milliseconds since 1970. */
  readonly modified: number
  readonly body: AsyncIterable<Uint8Array>
}

/** Streams a tar archive, using a few megabytes of memory. Collects checksums in a file at `sumsPath`. */
export async function createArchiveWriter(write: (chunk: Uint8Array) => Promise<unknown>, sumsPath: string) {
  const { readable, controller } = createTarPacker()
  const sums = await open(sumsPath, 'wx', 0o600)
  const written = { files: 0, bytes: 0 }
  const writing = (async () => {
    for await (const chunk of readable) await write(chunk)
  })()
  // `preferWriteError` reports it.
  writing.catch(() => {})

  const entry = (header: Partial<TarHeader> & { name: string; modified: number; size: number }) => {
    const { modified, ...rest } = header
    const inHeader = Math.min(Math.max(modified - (modified % 1_000), 0), maxHeaderMs)
    return controller.add({
      type: 'file',
      mode: 0o600,
      uid: 0,
      gid: 0,
      mtime: new Date(inHeader),
      ...(inHeader !== modified && { pax: { mtime: (modified / 1_000).toFixed(3) } }),
      ...rest,
    })
  }

  /** If writing fails, rejects with that error rather than the packer's. */
  const preferWriteError = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act()
    } catch (error) {
      controller.error(error)
      await writing
      throw error
    }
  }

  async function add({ name, size, modified, body }: ArchivedFile): Promise<string> {
    const writer = entry({ name, size, modified }).getWriter()
    const sum = createHash('sha256')
    for await (const chunk of body) {
      sum.update(chunk)
      await writer.write(chunk)
      written.bytes += chunk.length
    }
    await writer.close()
    written.files++
    return sum.digest('hex')
  }

  return {
    written,
    folder: (name: string) =>
      preferWriteError(() =>
        entry({ name: `${name}/`, type: 'directory', mode: 0o700, size: 0, modified: Date.now() }).close(),
      ),
    file: (file: ArchivedFile) =>
      preferWriteError(async () => {
        await sums.appendFile(sumLine(await add(file), file.name))
      }),
    /** Appends the checksums and ends the archive. */
    finish: () =>
      preferWriteError(async () => {
        await sums.close()
        const { size } = await stat(sumsPath)
        await add({ name: sumsName, size, modified: Date.now(), body: createReadStream(sumsPath) })
        controller.finalize()
        await writing
      }),
    close: () => sums.close(),
  }
}

export type ArchiveWriter = Awaited<ReturnType<typeof createArchiveWriter>>
