import type { BodyStream } from '../../http/body-stream.ts'
import { refuse } from '../../http/refusal.ts'
import { withFirstBytes } from '../../lib/first-bytes.ts'
import { errors } from '../errors.ts'
import { looksLike, signatureBytes } from '../signatures.ts'
import type { Spool } from '../strip/file-bytes.ts'
import { isStrippable, strip } from '../strip/strip.ts'

export interface ContentDeps {
  /** Whether the first bytes must match the type. */
  readonly checkType: boolean
  /** Used to remove metadata; if null, everything is stored as sent. */
  readonly spool: Spool | null
}

/** What happened to the metadata: there was `none`, or it is `kept` because files of this type are not stripped. */
export type Metadata = 'removed' | 'none' | 'kept'

/**
 * What to store of an upload; `metadata` is null if nobody looked for it. Refuses a body of the wrong type before passing
 * it on, and a damaged one whose metadata cannot be removed.
 */
export async function contentOf({ checkType, spool }: ContentDeps, { chunks, length }: BodyStream, type: string) {
  const asSent = { chunks, size: length, metadata: null as Metadata | null, async [Symbol.asyncDispose]() {} }
  if (!checkType && spool === null) return asSent
  const { first, all } = await withFirstBytes(chunks, signatureBytes)
  if (checkType && !looksLike(type, first)) {
    await all.return?.()
    refuse(errors.otherType, {}, { TYPE: type })
  }
  if (spool === null) return { ...asSent, chunks: all }
  if (!isStrippable(first)) return { ...asSent, chunks: all, metadata: 'kept' as const }
  const file = await spool(all)
  const dispose = () => file[Symbol.asyncDispose]()
  try {
    const { isChanged, size, chunks } = (await strip(file)) ?? refuse(errors.notStrippable)
    const metadata: Metadata = isChanged ? 'removed' : 'none'
    return { chunks: chunks(), size, metadata, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}
