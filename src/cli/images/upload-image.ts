import { realpath } from 'node:fs/promises'
import { basename } from 'node:path'
import { cliOrigin } from '../../accounts/audit.ts'
import { readConfig } from '../../config/config.ts'
import { upload } from '../../images/admin/upload.ts'
import { cutOffText, endsEarly } from '../../images/end-check.ts'
import { essenceOf, isMediaType } from '../../images/image-types.ts'
import type { Kinds } from '../../images/kinds.ts'
import { parseKey } from '../../images/names.ts'
import { servedName } from '../../images/served-name.ts'
import { inBytes } from '../amounts.ts'
import type { Cli } from '../cli-context.ts'
import { Failed, WrongUsage } from '../failure.ts'
import { interruptible } from '../interrupt.ts'
import { quoted } from '../output.ts'
import { type ChangeableImages, checkObjectName, withChangeableImages } from './changeable-images.ts'
import { signatureBytes, typeOfBytes } from './image-types.ts'
import { contentOf, isSame, type LocalFile, openLocalFile } from './local-file.ts'

interface UploadOptions {
  readonly type?: string
  readonly yes: boolean
}

export async function uploadImage(cli: Cli, path: string, given: string, { type, yes }: UploadOptions): Promise<void> {
  if (type !== undefined && !(isMediaType(type) && /^image\/(?!\*)/i.test(type)))
    throw new WrongUsage(`--type: expected an image type such as image/png, got ${quoted(type)}.`)
  const name = nameOf(readConfig(cli.env).imageKinds, given, path)
  checkObjectName(name)
  await using file = await openNamed(path)
  await interruptible(
    cli,
    (signal) =>
      withChangeableImages(cli, 'make', (images) => store(cli, images, { path, file, name, type, yes, signal })),
    'Interrupted; the old image, or none, is there.',
  )
}

/** A kind alone would name an object outside of all kinds. */
const nameOf = (kinds: Kinds, name: string, path: string) =>
  kinds.has(name)
    ? `${name}/${servedName(basename(path))}`
    : name.endsWith('/')
      ? name + servedName(basename(path))
      : name

/** Follows a link, unlike an import: the user named it. */
async function openNamed(path: string): Promise<LocalFile> {
  try {
    return await openLocalFile(await realpath(path))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Failed(`${quoted(path)}: ${code === 'ENOENT' ? 'no such file' : message}.`)
  }
}

interface Wanted {
  readonly path: string
  readonly file: LocalFile
  readonly name: string
  readonly type: string | undefined
  readonly yes: boolean
  readonly signal: AbortSignal
}

async function store(cli: Cli, images: ChangeableImages, wanted: Wanted): Promise<void> {
  const { path, file, name, yes, signal } = wanted
  const { size } = file
  const { bucket, config } = images
  if (size === 0) throw new Failed(`${quoted(path)} is empty.`)
  if (size > config.UPLOAD_MAX_BYTES)
    throw new Failed(`${quoted(path)}: ${size} bytes is more than UPLOAD_MAX_BYTES (${config.UPLOAD_MAX_BYTES}).`)
  const type = await typeOf(wanted)
  const isCutOff = await endsEarly(file.chunks())
  const content = await contentOf(file, config).catch(({ message }: Error) => {
    throw new Failed(`${quoted(path)}: ${message}.`)
  })
  const place = { bucket, name }
  const head = await images.store.head(place, signal)
  const isThere = head?.type === type && (await isSame(content, { store: images.store, place, head, signal }))
  if (head && !isThere && !yes) {
    if (!cli.ask.isPossible) throw new WrongUsage(`${name} exists; pass --yes to replace it.`)
    await cli.ask.confirm(`${name} (${inBytes(head.size)}) will be replaced.`)
  }
  const body = { length: content.size, chunks: content.chunks() }
  const deps = { ...images, checkType: true, spool: null }
  const stored = isThere ? null : await upload(deps, cliOrigin, place, { type, body, signal }).catch(inOneLine)
  const etag = isThere ? head.etag : stored?.etag
  await cli.out.print(
    { changed: !isThere, bucket, name, type, bytes: content.size, etag, isCutOff },
    isThere
      ? `${name} is already there; nothing was changed.`
      : `Uploaded ${name} (${type}, ${inBytes(content.size)}).`,
  )
  if (isCutOff) cli.out.note(`Warning: ${cutOffText}.`)
  if (content.metadata === 'kept') cli.out.note('Its metadata was kept: it is only removed from JPEG, PNG and WebP.')
  if (stored?.isImage === false)
    cli.out.note(
      config.CHOOSE_IMAGES_ONLY
        ? 'It will never be chosen: its first bytes are not those of a known type of image, and CHOOSE_IMAGES_ONLY is true.'
        : 'Warning: its first bytes are not those of a known type of image.',
    )
  if (parseKey(config.imageKinds, name) === null)
    cli.out.note(
      `It will never be chosen: that takes a name such as fox/a.png, with a kind out of ${[...config.imageKinds].join(', ')}.`,
    )
}

/** The folder store's own refusal: the name lies below or above an existing object. */
function inOneLine(error: NodeJS.ErrnoException): never {
  const { code, syscall, message } = error
  throw code !== undefined && syscall === undefined ? new Failed(`${message}.`) : error
}

async function typeOf({ path, file, type: given }: Wanted): Promise<string> {
  if (given !== undefined) return essenceOf(given)
  const found = typeOfBytes(await file.read(0, signatureBytes))
  if (found === null) throw new Failed(`${quoted(path)} is not an image of a known type; pass its --type.`)
  return found
}
