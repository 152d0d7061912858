import type { Client } from '../../../client/src/client.ts'
import { EndCheck } from '../../../src/images/end-check.ts'
import { servedName } from '../../../src/images/served-name.ts'
import { beginBytes, isImage, typeOfBytes } from '../../../src/images/signatures.ts'
import { firstPage } from '../parts/first-page.ts'
import { largeBytes } from '../parts/image-path.ts'
import { sizeText } from '../parts/size.ts'
import { md5Of } from './md5.ts'
import { fileNameOf, type Question, type Rules, type Upload } from './upload.ts'

export interface Finding {
  readonly md5: string | null
  readonly isStored: boolean
  readonly contentType: string
  /** What to ask the user before the file is sent. */
  readonly question: Question | null
}

/** The MD5s of what is being examined or sent, by name: the service may not have those images yet. */
export const underWay = new Map<string, string>()

/** A browser knows the type by the ending of the name, if at all; otherwise the first bytes tell. */
function servedAs({ file, name }: Upload, head: Uint8Array) {
  const served = servedName(fileNameOf(name))
  const kind = file.type.startsWith('image/') ? null : typeOfBytes(head)
  if (kind === null) return { contentType: file.type || 'application/octet-stream', betterName: served }
  const hasEnding = kind.endings.some((ending) => served.toLowerCase().endsWith(`.${ending}`))
  return { contentType: kind.type, betterName: hasEnding ? served : `${served}.${kind.endings[0]}` }
}

/** Sends no file. Whether a small file's name is taken shows when it is sent: a HEAD for each would be too much. */
export async function examine(upload: Upload, client: Client, rules: Rules, signal: AbortSignal): Promise<Finding> {
  const { file, name, agreed, mayBeStored } = upload
  const { maxBytes } = rules.uploads
  if (file.size === 0) throw new Error('The file is empty.')
  if (file.size > maxBytes)
    throw new Error(
      `Too large: ${sizeText(file.size)}. The service takes at most ${sizeText(maxBytes, { isLimit: true })}.`,
    )
  const readAs = <T>(reading: Promise<T>) =>
    reading.catch(() => {
      throw new Error('The file can no longer be read.')
    })
  const head = new Uint8Array(await readAs(file.slice(0, beginBytes).arrayBuffer()))
  const { contentType, betterName } = servedAs(upload, head)
  const asked = { md5: null, isStored: false, contentType }
  const isNoImage = !agreed && !isImage(head)
  // The service would refuse it, by any name.
  if (isNoImage && !contentType.startsWith('image/')) throw new Error('This is not an image.')
  if (betterName !== fileNameOf(name)) return { ...asked, question: { betterName, copies: [] } }
  if (isNoImage) return { ...asked, question: { isNoImage, copies: [] } }
  const end = new EndCheck()
  const md5 = await readAs(md5Of(file, end))
  signal.throwIfAborted()
  const [twin] = [...underWay].find(([other, itsMd5]) => itsMd5 === md5 && other !== name) ?? []
  underWay.set(name, md5)
  const { duplicates } = await firstPage(client.admin.duplicates({ md5, signal }))
  const known = duplicates.flatMap(({ images }) => images.map((image) => image.name))
  const isNew = twin !== undefined && !known.includes(twin)
  const isStored = mayBeStored && known.includes(name)
  const { isCutOff } = end
  if (isStored || agreed || (known.length === 0 && !isNew && file.size <= largeBytes && !isCutOff))
    return { md5, isStored, contentType, question: null }
  const stored = await client.images.head(name, { signal })
  const copies = known.filter((each) => each !== name)
  if (copies.length === 0 && !isNew && stored === null && !isCutOff)
    return { md5, isStored, contentType, question: null }
  const question = {
    copies,
    ...(isNew && { twin }),
    ...(stored && { stored: { etag: stored.etag } }),
    ...(isCutOff && { isCutOff }),
  }
  return { md5, isStored, contentType, question }
}
