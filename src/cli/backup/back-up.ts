import { existsSync } from 'node:fs'
import { link, lstat, open, realpath, rename, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { readConfig } from '../../config/config.ts'
import { syncFolder } from '../../drivers/objects/folder/files.ts'
import { closing } from '../../lib/closing.ts'
import { counted, inBytes } from '../amounts.ts'
import type { Cli } from '../cli-context.ts'
import { Failed, WrongUsage } from '../failure.ts'
import { interruptible } from '../interrupt.ts'
import { createProgress } from '../progress.ts'
import { type ArchiveWriter, createArchiveWriter } from './archive-writer.ts'
import type { BackupWorld } from './commands.ts'
import { notCoveredOf } from './coverage.ts'
import { addEverything } from './embedded.ts'
import { withWorkFolder } from './work-folder.ts'

const interrupted = 'Interrupted; nothing was written.'

export async function backUp(cli: Cli, { stdout, screen }: BackupWorld, file: string): Promise<void> {
  const config = readConfig(cli.env)
  const toStdout = file === '-'
  if (toStdout && (stdout.isTTY || cli.out.json))
    throw new WrongUsage('Redirect standard output to a pipe or a file, and do not pass --json.')
  if (toStdout && isInNpmOutput(cli.env))
    throw new WrongUsage('npm writes lines of its own to standard output: use npm run -s cli -- backup -.')
  if (!existsSync(config.DATA_DIR)) throw new Failed(`${config.DATA_DIR}: no such folder; check DATA_DIR.`)
  const target = resolve(file)
  if (!toStdout && (await isThere(target))) throw exists(target)
  const dataDir = await realpath(config.DATA_DIR)
  const notCovered = notCoveredOf(config)
  const parent = toStdout ? tmpdir() : dirname(target)
  const done = await interruptible(
    cli,
    async (signal) => {
      using progress = createProgress(screen, cli.clock)
      return await withWorkFolder(parent, (work) => {
        const write = async (archive: ArchiveWriter) => {
          const images = await addEverything({ config, dataDir, work, archive, progress, signal })
          if (archive.written.files > 0) return images
          const elsewhere = notCovered.map((each) => ` Not in it: ${each}.`)
          throw new Failed(`DATA_DIR contains nothing to back up.${elsewhere.join('')}`)
        }
        return toStdout ? archived(work, writerTo(stdout), write) : toFile(work, target, write)
      })
    },
    interrupted,
  )
  const { images, files, bytes } = done
  const sum = `${counted(files, 'file')} (${inBytes(bytes)}), ${counted(images, 'object')} of the store of images among them, in ${toStdout ? 'the archive' : target}.`
  const lines = [sum, ...notCovered.map((each) => `Not in it: ${each}.`)]
  if (toStdout) for (const line of lines) cli.out.note(line)
  else await cli.out.print({ file: target, files, images, bytes, notCovered }, lines.join('\n'))
}

/** As `npm run cli`, whose first lines would be in the archive, and not as `npm run -s cli`. */
const isInNpmOutput = (env: Cli['env']) => env.npm_lifecycle_event === 'cli' && env.npm_config_loglevel !== 'silent'

const exists = (path: string) => new Failed(`${path} exists; choose another name, or move it away.`)
const isThere = (path: string) => lstat(path).then(Boolean, () => false)

/** Unlike a list, an archive is incomplete if its reader stops early. */
function writerTo(stdout: BackupWorld['stdout']) {
  stdout.removeAllListeners('error').on('error', () => {})
  return (chunk: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      const failed = ({ message }: Error) => new Failed(`Cannot write to standard output: ${message}`)
      stdout.write(chunk, (error) => (error ? reject(failed(error)) : resolve()))
    })
}

async function archived(
  work: string,
  write: (chunk: Uint8Array) => Promise<void>,
  act: (archive: ArchiveWriter) => Promise<number>,
) {
  const archive = await createArchiveWriter(write, join(work, 'sums'))
  await using _ = closing(archive)
  const images = await act(archive)
  const { files, bytes } = archive.written
  await archive.finish()
  return { images, files, bytes }
}

/** The archive gets its name once it is complete and on disk. */
async function toFile(work: string, target: string, act: (archive: ArchiveWriter) => Promise<number>) {
  const path = join(work, basename(target))
  await using handle = await open(path, 'wx', 0o600)
  const write = (chunk: Uint8Array) =>
    handle.appendFile(chunk).catch((error: Error) => {
      throw new Failed(`Cannot write ${target}: ${error.message}`)
    })
  const done = await archived(work, write, act)
  await handle.sync()
  await publish(path, target)
  return done
}

/** Never overwrites a file: link fails if one exists. On a file system without links, checks before the rename. */
async function publish(path: string, target: string): Promise<void> {
  try {
    await link(path, target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || (await isThere(target))) throw exists(target)
    await rename(path, target)
  }
  await unlink(path).catch(() => {})
  await syncFolder(dirname(target))
}
