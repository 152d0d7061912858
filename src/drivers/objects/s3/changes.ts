import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { isBucketName } from '../../../images/bucket-name.ts'
import type { ObjectStore, Upload } from '../../../images/object-store.ts'
import { asUnchanged, NoSuchBucket } from '../../../images/store-errors.ts'
import { freeBuffer } from '../../../lib/free-buffer.ts'
import { abortable } from '../abortable.ts'
import type { Spooling } from '../spool.ts'
import { type Command, isRefusal, Overtaken } from './command.ts'
import { type Headers, NotSent } from './exchange.ts'
import { badResponse, bareEtag, headerOf, NotFromStore, Refusal } from './responses.ts'

export function createChanges(command: Command, spool: Spooling): Pick<ObjectStore, 'write' | 'remove'> {
  async function send(
    upload: Upload,
    size: number,
    body = upload.body,
    isGivenAway = upload.isGivenAway,
  ): Promise<{ readonly headers: Headers; readonly md5: string }> {
    const md5 = createHash('md5')
    const ended = new AbortController()
    const signal = AbortSignal.any([upload.signal, ended.signal])
    let failure: { readonly error: unknown } | null = null
    let handedOver = 0
    async function* watched() {
      try {
        const pieces = checkedAndHashed(abortable(body, signal), size, md5)
        for await (const piece of isGivenAway ? freedOnceSent(pieces) : pieces) {
          handedOver += piece.length
          yield piece
        }
      } catch (error) {
        failure ??= { error }
        throw error
      }
    }
    const stream = Readable.from(watched(), { objectMode: false, highWaterMark: 64 * 1024 })
    // The request reports errors, but the stream may fail after it.
    stream.on('error', () => {})
    try {
      const { headers } = await command('PUT', upload, {
        headers: ['content-type', upload.type],
        body: stream,
        length: size,
        signal: upload.signal,
      })
      return { headers, md5: md5.digest('hex') }
    } catch (error) {
      if (error instanceof Overtaken && handedOver === size) {
        const etag = md5.digest('hex')
        return { headers: { etag }, md5: etag }
      }
      const reason = failure === null ? error : (failure as { error: unknown }).error
      // No store commits an object before it has every byte.
      throw handedOver < size ? asUnchanged(reason) : reason
    } finally {
      ended.abort()
      stream.destroy()
    }
  }

  async function sendSpooled(upload: Upload) {
    await using spooled = await spool(abortable(upload.body, upload.signal)).catch((error) => {
      throw asUnchanged(error)
    })
    return await send(upload, spooled.size, spooled.chunks(), false)
  }

  return {
    async write(upload) {
      const { bucket, size, signal } = upload
      if (signal.aborted) throw asUnchanged(signal.reason)
      if (!isBucketName(bucket)) throw new NoSuchBucket(bucket)
      const { headers, md5 } = await (size === null ? sendSpooled(upload) : send(upload, size)).catch((error) => {
        throw isRefusal(error, 'NoSuchBucket') ? new NoSuchBucket(bucket) : withOutcome(error)
      })
      const etag = bareEtag(headerOf(headers, 'etag') ?? '')
      if (etag === '') throw badResponse('no ETag for an upload')
      const versionId = headerOf(headers, 'x-amz-version-id')
      const encryption = headerOf(headers, 'x-amz-server-side-encryption')
      return {
        etag,
        versionId: versionId === 'null' ? null : versionId,
        md5,
        isEtagOpaque:
          encryption?.startsWith('aws:kms') === true ||
          headerOf(headers, 'x-amz-server-side-encryption-customer-algorithm') !== null,
      }
    },
    async remove({ bucket, name }) {
      if (!isBucketName(bucket)) throw new NoSuchBucket(bucket)
      await command('DELETE', { bucket, name }).catch((error) => {
        if (isRefusal(error, 'NoSuchBucket')) throw new NoSuchBucket(bucket)
        if (!isRefusal(error, 'NoSuchKey')) throw withOutcome(error)
      })
    },
  }
}

/** After a 5xx the change may have happened: some nodes may have stored it, or a gateway timed out. */
const withOutcome = (error: unknown) =>
  error instanceof NotSent || error instanceof NotFromStore || (error instanceof Refusal && error.status < 500)
    ? asUnchanged(error)
    : error

/** Passes exactly `size` bytes on, and hashes them. */
async function* checkedAndHashed(
  pieces: AsyncIterable<Uint8Array>,
  size: number,
  md5: Hash,
): AsyncGenerator<Uint8Array, void, void> {
  let sent = 0
  let last: Uint8Array | null = null
  for await (const piece of pieces) {
    if (piece.length === 0) continue
    sent += piece.length
    if (sent > size) throw new Error(`the upload exceeds its announced length of ${size} bytes`)
    md5.update(piece)
    // The store commits the object at its last byte, which is held back until the upload has ended.
    if (sent === size) last = piece
    else yield piece
  }
  if (sent !== size) throw new Error(`the upload ended after ${sent} of ${size} announced bytes`)
  if (last !== null) yield last
}

/** Twice what the stream and the socket may buffer. */
const maxUnsentBytes = 262_144

/**
 * Frees each piece once enough bytes after it were requested that it must have been sent. If it was not, the object's
 * length and MD5 differ, and the upload fails.
 */
async function* freedOnceSent(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const sent: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    yield piece
    sent.push(piece)
    bytes += piece.length
    for (let [first] = sent; first && bytes - first.length >= maxUnsentBytes; [first] = sent) {
      bytes -= first.length
      freeBuffer(first)
      sent.shift()
    }
  }
}
