import { isBucketName } from '../../../images/bucket-name.ts'
import type { ByteRange, ObjectHead, ObjectReading, ObjectRef, ObjectStore } from '../../../images/object-store.ts'
import type { Reply } from './exchange.ts'
import type { SignedRequest } from './request.ts'
import { badResponse, codeOf, headOf, headOfPart, isFromStore, refusal } from './responses.ts'
import { resumable } from './resumable.ts'

const absent = new Set(['NoSuchKey', 'NoSuchBucket'])
const isRef = ({ bucket, name }: ObjectRef) => isBucketName(bucket) && name !== ''

/** Opens objects; only the response's head is read here. */
export function createReads(
  request: SignedRequest,
  restMs: number,
  isCrowded: () => boolean,
): Pick<ObjectStore, 'head' | 'read' | 'readRange'> {
  /** Null if the store says that it does not exist, or is `outdated`; throws for any other response. */
  async function refused(act: string, reply: Reply, outdated: readonly string[] = []): Promise<null> {
    const code = await codeOf(reply)
    if (code !== null && outdated.includes(code)) return null
    if (reply.status === 404 && code !== null && absent.has(code)) return null
    throw refusal(act, reply.status, code, reply.headers)
  }

  function reading(reply: Reply, size: number, headFrom: () => ObjectHead): ObjectReading {
    try {
      const head = headFrom()
      return {
        head,
        isGivenAway: true,
        whole: () => reply.body.whole(size),
        chunks: () => reply.body.chunks(size),
        discard: () => reply.body.discard(),
      }
    } catch (error) {
      reply.body.discard()
      throw error
    }
  }

  async function read(ref: ObjectRef, signal?: AbortSignal): Promise<ObjectReading | null> {
    if (!isRef(ref)) return null
    const reply = await request('reads', 'GET', ref, { signal })
    if (reply.status !== 200) return refused('GET of an object', reply)
    const opened = reading(reply, Number(reply.headers['content-length']), () => headOf(reply.headers))
    return resumably(ref, opened, { first: 0, last: opened.head.size - 1 }, signal)
  }

  const resumably = (ref: ObjectRef, opened: ObjectReading, { first, last }: ByteRange, signal?: AbortSignal) => {
    const resume = (from: number) => readPart(ref, opened.head, { first: from, last }, signal)
    return resumable(opened, { start: first, size: last - first + 1, restMs, isCrowded, resume })
  }

  const readPart: ObjectStore['readRange'] = async (ref, version, range, signal) => {
    const headers = ['range', `bytes=${range.first}-${range.last}`, 'if-match', `"${version.etag}"`]
    const reply = await request('reads', 'GET', ref, { headers, signal })
    if (reply.status === 206)
      return reading(reply, range.last - range.first + 1, () => {
        const head = headOfPart(reply.headers, range)
        if (head.etag !== version.etag) throw badResponse('a part of another version')
        return head
      })
    if (reply.status === 200) {
      reply.body.discard()
      throw badResponse('a whole object instead of a part')
    }
    // If the range is inside that version but outside the object, it has been overwritten.
    return refused('GET of a part', reply, ['PreconditionFailed', 'InvalidRange'])
  }

  return {
    read,
    async readRange(ref, version, range, signal) {
      if (!isRef(ref)) return null
      const part = await readPart(ref, version, range, signal)
      return part && resumably(ref, part, range, signal)
    },
    async head(ref, signal) {
      if (!isRef(ref)) return null
      const reply = await request('reads', 'HEAD', ref, { signal })
      if (reply.status === 200) return headOf(reply.headers)
      if (reply.status !== 404) throw refusal('HEAD of an object', reply.status, null, reply.headers)
      if (isFromStore(reply.headers)) return null
      // Without a body, a captive portal's 404 looks the same; the response to a GET does not.
      const found = await read(ref, signal)
      found?.discard()
      return found?.head ?? null
    },
  }
}
