import { lstatSync } from 'node:fs'
import { mkdir, open, readdir, realpath, rename } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { readConfig } from '../../config/config.ts'
import { makeFolder } from '../../drivers/data-dir.ts'
import { embeddedDatabases } from '../../drivers/embedded-databases.ts'
import { syncFolder } from '../../drivers/objects/folder/files.ts'
import { problemOf } from '../../drivers/sqlite/copy.ts'
import type { SqliteSchema } from '../../drivers/sqlite/schema.ts'
import { closing } from '../../lib/closing.ts'
import { counted, inBytes } from '../amounts.ts'
import { checkUnused } from '../check-unused.ts'
import type { Cli } from '../cli-context.ts'
import { Failed } from '../failure.ts'
import { interruptible } from '../interrupt.ts'
import { ownerNote, ownerOf } from '../owner-note.ts'
import { counting, createProgress } from '../progress.ts'
import { type Extracted, extract } from './archive-reader.ts'
import type { BackupWorld } from './commands.ts'
import { notCoveredOf } from './coverage.ts'
import { isWorkFolder, sweep, withWorkFolder } from './work-folder.ts'

const interrupted = 'Interrupted; nothing was restored.'

export async function restore(cli: Cli, { stdin, screen }: BackupWorld, file: string): Promise<void> {
  const config = readConfig(cli.env)
  const dataDir = await realPathOf(resolve(config.DATA_DIR))
  await checkFree(dataDir)
  const owner = ownerOf(dataDir)
  const input = file === '-' ? { archive: stdin, size: 0, close: () => stdin.destroy() } : await opened(resolve(file))
  await using _ = closing(input)
  const restoring = async (signal: AbortSignal) => {
    using progress = createProgress(screen, cli.clock)
    if (input.size > 0) progress.expect(input.size)
    return await putInPlace(counting(input.archive, progress.part()), dataDir, signal)
  }
  const done = await interruptible(cli, restoring, interrupted)
  const notCovered = notCoveredOf(config)
  const { files, images, bytes } = done
  const sum = `${counted(files, 'file')} (${inBytes(bytes)}), ${counted(images, 'object')} of the store of images among them, are in ${dataDir}.`
  const lines = [sum, ...notCovered.map((each) => `Not restored: ${each}.`)]
  const note = ownerNote(dataDir, owner)
  if (note !== null) cli.out.note(note)
  await cli.out.print({ dataDir, files, images, bytes, notCovered }, lines.join('\n'))
}

/** Follows links; trailing parts need not exist. */
async function realPathOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null)
  return real ?? join(await realPathOf(dirname(path)), basename(path))
}

const nearestFolder = (path: string): string => (isThere(path) ? path : nearestFolder(dirname(path)))

async function opened(path: string) {
  const handle = await open(path).catch(({ code }) => {
    throw new Failed(`${path} cannot be read (${code}).`)
  })
  const found = await handle.stat()
  if (!found.isFile()) {
    await handle.close()
    throw new Failed(`${path} is not a file; use - to read standard input.`)
  }
  return { archive: handle.createReadStream({ autoClose: false }), size: found.size, close: () => handle.close() }
}

/** Throws unless the folder is missing or empty, and no process uses it. */
async function checkFree(dataDir: string): Promise<void> {
  const found = await readdir(dataDir).catch((error) => {
    if (error.code === 'ENOENT' && !isThere(dataDir)) return []
    if (error.code === 'ENOENT') throw new Failed(`DATA_DIR: ${dataDir} is a dangling link; remove it.`)
    throw new Failed(`DATA_DIR: ${dataDir} cannot be read (${error.code}); check its owner and mode.`)
  })
  const other = found.find((name) => !isWorkFolder(name))
  if (other !== undefined)
    throw new Failed(`DATA_DIR: ${dataDir} is not empty (${other}); stop the service and move the folder away first.`)
  checkUnused(dataDir, `DATA_DIR: ${dataDir}`)
}

/** Extracts beside DATA_DIR, verifies everything, then renames: DATA_DIR is complete or absent. */
async function putInPlace(
  archive: AsyncIterable<Uint8Array>,
  dataDir: string,
  signal: AbortSignal,
): Promise<Extracted> {
  const isInside = !(await canBeReplaced(dataDir))
  return withWorkFolder(isInside ? dataDir : nearestFolder(dirname(dataDir)), async (work) => {
    const tree = join(work, 'data')
    await mkdir(tree, { mode: 0o700 })
    const done = await extract(archive, { into: tree, work, signal })
    for (const [name, known] of embeddedDatabases) checkDatabase(tree, name, known)
    await checkFree(dataDir)
    signal.throwIfAborted()
    makeFolder(dirname(dataDir))
    await (isInside ? moveInto(tree, dataDir) : rename(tree, dataDir)).catch((error) => {
      if (!/^(ENOTEMPTY|EEXIST)$/.test(error.code)) throw error
      throw new Failed(`DATA_DIR: ${dataDir} is no longer empty; nothing was restored.`)
    })
    await syncFolder(dirname(dataDir))
    return done
  })
}

function checkDatabase(tree: string, name: string, schema: SqliteSchema): void {
  if (!isThere(join(tree, name))) return
  const problem = problemOf(join(tree, name), schema)
  if (problem !== null) throw new Failed(`${name} in the archive ${problem}.`)
}

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** False for a mount point or if the parent folder is not writable. */
async function canBeReplaced(dataDir: string): Promise<boolean> {
  if (!isThere(dataDir)) return true
  await sweep(dataDir)
  try {
    await withWorkFolder(dirname(dataDir), async (work) => {
      await mkdir(join(work, 'empty'), { mode: 0o700 })
      await rename(join(work, 'empty'), dataDir)
    })
    return true
  } catch {
    return false
  }
}

/** Moves the entries one by one, never replacing what another process has meanwhile created. */
async function moveInto(tree: string, dataDir: string): Promise<void> {
  for (const name of (await readdir(tree)).sort().reverse()) {
    if (isThere(join(dataDir, name))) throw Object.assign(new Error(name), { code: 'EEXIST' })
    await rename(join(tree, name), join(dataDir, name))
  }
  await syncFolder(dataDir)
}
