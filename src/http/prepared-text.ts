import { once } from '../lib/once.ts'
import type { Call } from './call.ts'
import { matchesIfNoneMatch } from './conditional-requests.ts'
import { chooseCoding, codedTag, codingHeaders, compressWell, tagOf } from './content-coding.ts'
import type { Headers } from './headers.ts'
import { TextResponse } from './responses.ts'

/** A text that does not change: compressed at most once per coding, with an ETag for each. */
export function prepareText(type: string, text: string, { Vary: varies, ...own }: Headers) {
  const etag = tagOf(text)
  const bodies = {
    br: once(() => compressWell(text, 'br')),
    gzip: once(() => compressWell(text, 'gzip')),
    identity: once(async () => Buffer.from(text)),
  }

  return async ({ req: { headers } }: Call): Promise<TextResponse> => {
    const coding = chooseCoding(headers['accept-encoding'] as string | undefined)
    const tag = codedTag(etag, coding)
    const coded = codingHeaders(coding)
    const Vary = [varies, coded.Vary].filter((name) => name !== undefined).join(', ')
    const sent = { ...own, ...coded, Vary, ETag: `"${tag}"` }
    if (matchesIfNoneMatch(headers, tag)) return new TextResponse(304, type, '', sent)
    return new TextResponse(200, type, await bodies[coding](), sent)
  }
}

export type PreparedText = ReturnType<typeof prepareText>
