import { type Command, InvalidArgumentError, Option } from 'commander'
import { readConfig } from '../../config/config.ts'
import type { Kind } from '../../images/kinds.ts'
import type { Cli } from '../cli-context.ts'
import { wholeNumberUpTo } from '../numbers.ts'
import type { Screen } from '../progress.ts'

const maxParallel = 16

/** Each command is loaded on use, so that others start faster. */
export function imageCommands(program: Command, cli: Cli, screen: Screen): void {
  const images = program.command('images').description('import, inspect and verify images')
  const kind = (help: string) =>
    new Option('--kind <kind>', `${help} (images stats lists them)`).argParser((text) => readKind(cli, text))
  const parallel = () =>
    new Option('--parallel <n>', `number of parallel transfers, 1 to ${maxParallel}`)
      .argParser(wholeNumberUpTo(maxParallel))
      .default(4)

  images
    .command('import')
    .description('Import all images of a folder and its subfolders.')
    .argument('<folder>')
    .addOption(kind('kind of the images').makeOptionMandatory())
    .addOption(parallel())
    .option('--details <file>', 'CSV, or JSON if it ends with .json, that describes the images')
    .option('--dry-run', 'print what would be done, and change nothing', false)
    .addHelpText('after', importHelp)
    .action(async (folder, options) => (await import('./import-images.ts')).importImages(cli, screen, folder, options))
  images
    .command('upload')
    .description('Store one image under a name such as fox/mine.png.')
    .argument('<file>')
    .argument('<name>', 'name in the bucket; the file name is added to a kind, or to a name that ends with /')
    .option('--type <type>', 'media type, such as image/svg+xml; by default detected from the first bytes')
    .option('--yes', 'replace an image without confirmation', false)
    .addHelpText('after', atOnceHelp)
    .action(async (file, name, options) => (await import('./upload-image.ts')).uploadImage(cli, file, name, options))
  images
    .command('describe')
    .description('Change the details of images: only those that are given; an empty text removes one.')
    .argument('<name...>', 'names in the bucket, such as fox/a.png')
    .option('--alt <text>', 'what the image shows')
    .option('--title <text>', 'its title')
    .option('--artist <text>', 'who made it')
    .option('--source <url>', 'where it is from')
    .option('--license <text>', 'the terms of its use')
    .option('--tags <list>', 'all its tags, separated by commas')
    .addHelpText('after', '\nThe audit records it. The service takes it into account within a second.')
    .action(async (names, options) => (await import('./describe-images.ts')).describeImages(cli, names, options))
  images
    .command('delete')
    .description('Delete images by the names that images list prints.')
    .argument('<name...>')
    .option('--yes', 'do not ask for confirmation', false)
    .addHelpText('after', atOnceHelp)
    .action(async (names, { yes }) => (await import('./delete-images.ts')).deleteImages(cli, names, yes))
  images
    .command('list')
    .description('List the images in the store, hidden ones included, whose URLs are 404.')
    .addOption(kind('only this kind'))
    .addOption(
      new Option('--limit <n>', 'maximum number of images').argParser(wholeNumberUpTo(Number.MAX_SAFE_INTEGER)),
    )
    .action(async (options) => (await import('./list-images.ts')).listImages(cli, options))
  images
    .command('stats')
    .description(
      'Count the images of each kind, hidden ones included, and the objects in the bucket that are not served.',
    )
    .action(async () => (await import('./image-stats.ts')).showStats(cli))
  images
    .command('export')
    .description('Copy the images to <folder>/<kind>/<name>.')
    .argument('<folder>')
    .addOption(kind('only this kind'))
    .addOption(parallel())
    .option(
      '--details [file]',
      'also write the details of the images: CSV, or JSON if it ends with .json (default: <folder>/details.csv)',
    )
    .addHelpText(
      'after',
      '\nIdentical files are skipped, others replaced. To continue after an interruption, run the same command again.',
    )
    .action(async (folder, options) => (await import('./export-images.ts')).exportImages(cli, screen, folder, options))
  images
    .command('reindex')
    .description('Refresh the catalogue of images from the store.')
    .action(async () => (await import('./reindex-images.ts')).reindexImages(cli))
  images
    .command('verify')
    .description('Read every image and check its checksum and type.')
    .addOption(kind('only this kind'))
    .addOption(parallel())
    .addHelpText('after', verifyHelp)
    .action(async (options) => (await import('./verify-images.ts')).verifyImages(cli, screen, options))
}

const atOnceHelp = `
The audit records it. A service on this machine takes it into account at once; others, and cached copies, follow within
CATALOGUE_REFRESH_SECONDS.`

const importHelp = `
The type of a file is detected from its first bytes; links are not followed. The image gets the name of the file, with
hyphens for invalid characters. Nothing in the store is replaced: if another image has that name, a hash of the bytes is
appended. Images that are already there are skipped: to continue after an interruption, run the same command again.
Exit code 1 if a file failed.

The file of --details has the columns name, alt, title, artist, source, license and tags (separated by commas or
spaces), of which all but name may be missing; JSON is an array of objects with these fields. A name is that of a file
below the folder, or of an image in the store. Empty cells remove. Rows of other kinds are left out, and bad rows are
reported. An unknown column stops the import before it begins.`

const verifyHelp = `
The checksum is the ETag, if it looks like an MD5. With server-side encryption (SSE-KMS, SSE-C) it looks like one, but is
not. Exit code 1 if an image does not match or cannot be read.`

function readKind({ env }: Cli, text: string): Kind {
  const { imageKinds } = readConfig(env)
  if (imageKinds.has(text)) return text
  throw new InvalidArgumentError(`Allowed choices are ${[...imageKinds].join(', ')}.`)
}
