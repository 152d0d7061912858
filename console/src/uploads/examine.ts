import type { Client, ImageHead } from '../../../client/src/client.ts'
import { firstPage } from '../parts/first-page.ts'
import { sizeText } from '../parts/size.ts'
import { md5Of } from './md5.ts'
import { type Condition, fileNameOf, type Question, type Rules, servedName, type Upload } from './upload.ts'

export type Finding = { readonly question: Question } | 'free' | 'stored'

/** What the user should know before the file is sent. */
export async function examine(upload: Upload, client: Client, rules: Rules, signal: AbortSignal): Promise<Finding> {
  const { file, name, agreed, mayBeStored } = upload
  const { maxBytes } = rules.uploads
  if (file.size > maxBytes)
    throw new Error(`Too large: ${sizeText(file.size)}. The service takes at most ${sizeText(maxBytes)}.`)
  const betterName = servedName(fileNameOf(name))
  if (betterName !== fileNameOf(name)) return { question: { betterName, copies: [] } }
  const md5 = await md5Of(file).catch(() => {
    throw new Error('The file can no longer be read.')
  })
  signal.throwIfAborted()
  const head = await client.images.head(name, { signal })
  if (mayBeStored && head?.etag === md5) return 'stored'
  if (agreed && holds(agreed, head)) return 'free'
  const { duplicates } = await firstPage(client.admin.duplicates({ md5, signal }))
  const copies = duplicates.flatMap(({ images }) => images.map((image) => image.name)).filter((each) => each !== name)
  if (head === null && copies.length === 0) return 'free'
  return { question: { copies, ...(head && { stored: { etag: head.etag } }) } }
}

const holds = ({ ifAbsent, ifMatch }: Condition, head: ImageHead | null): boolean =>
  ifAbsent ? head === null : ifMatch === undefined || head?.etag === ifMatch
