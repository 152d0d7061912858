import { type Command, InvalidArgumentError, Option } from 'commander'
import { kinds } from '../../images/kinds.ts'
import type { Cli } from '../cli-context.ts'
import type { Screen } from '../progress.ts'
import type { ExportOptions } from './export-images.ts'
import type { ImportOptions } from './import-images.ts'
import type { ListOptions } from './list-images.ts'
import type { VerifyOptions } from './verify-images.ts'

const mostParallel = 16

/** What each one does is loaded when it is asked for: the other commands start without it. */
export function imageCommands(program: Command, cli: Cli, screen: Screen): void {
  const images = program.command('images').description('images: import, look at, check')
  const kind = (help: string) => new Option('--kind <kind>', help).choices(kinds)
  const parallel = () =>
    new Option('--parallel <n>', `how many at a time, 1 to ${mostParallel}`).argParser(upTo(mostParallel)).default(4)

  images
    .command('import')
    .description('Brings every image of a folder, and of the folders in it, into the store.')
    .argument('<folder>')
    .addOption(kind('what the images show').makeOptionMandatory())
    .addOption(parallel())
    .option('--dry-run', 'say what would be done, and change nothing', false)
    .addHelpText('after', importHelp)
    .action(async (folder: string, options: ImportOptions) =>
      (await import('./import-images.ts')).importImages(cli, screen, folder, options),
    )
  images
    .command('list')
    .description('Lists the images that are served, as they are in the store.')
    .addOption(kind('only these'))
    .addOption(new Option('--limit <n>', 'so many at most').argParser(upTo(Number.MAX_SAFE_INTEGER)))
    .action(async (options: ListOptions) => (await import('./list-images.ts')).listImages(cli, options))
  images
    .command('stats')
    .description('Counts the images of each kind in the store, and what lies in the bucket and is not served.')
    .action(async () => (await import('./image-stats.ts')).showStats(cli))
  images
    .command('export')
    .description('Copies the images into a folder, each as <folder>/<kind>/<name>.')
    .argument('<folder>')
    .addOption(kind('only these'))
    .addOption(parallel())
    .addHelpText(
      'after',
      '\nA file that is the same is left as it is; one that differs is replaced. The same command again goes on after a break.',
    )
    .action(async (folder: string, options: ExportOptions) =>
      (await import('./export-images.ts')).exportImages(cli, screen, folder, options),
    )
  images
    .command('reindex')
    .description('Compares the list of images, which the service chooses from, with the store now.')
    .action(async () => (await import('./reindex-images.ts')).reindexImages(cli))
  images
    .command('verify')
    .description('Reads every image, and compares it with its checksum and its type.')
    .addOption(kind('only these'))
    .addOption(parallel())
    .addHelpText('after', verifyHelp)
    .action(async (options: VerifyOptions) => (await import('./verify-images.ts')).verifyImages(cli, screen, options))
}

const importHelp = `
The first bytes of a file tell whether it is an image, and its type; links are not followed. Its name is that of the
file, with a hyphen for whatever a name may not have. Nothing in the store is replaced: where another image has the name,
a hash of the bytes is added to it. What is there already is skipped, so the same command again goes on after a break.
Exit code 1 if a file failed.`

const verifyHelp = `
The checksum is the ETag where that is an MD5: a store that encrypts with keys of its own (SSE-KMS, SSE-C) has ETags that
look like one and are none. Exit code 1 if an image differs, or cannot be read.`

const upTo = (most: number) => (text: string) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > most)
    throw new InvalidArgumentError(
      `Expected a whole number from 1${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ''}.`,
    )
  return value
}
