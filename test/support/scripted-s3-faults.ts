import type { ServerResponse } from 'node:http'
import { type Asked, md5Of } from './scripted-s3-answers.ts'
import { failure, type Reply, xml } from './scripted-s3-reply.ts'

/** Responses of a proxy, a portal or a foreign server. The request is not carried out. */
type Instead =
  /** S3's error document by default: SlowDown for 503. HTML comes from something in front of the store. */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly body?: string
      readonly type?: string
      readonly headers?: Readonly<Record<string, string>>
      /** Lacks the store's mark, as HTML always does. */
      readonly isForeign?: boolean
    }
  /** 200 with a login page; an `etag` makes it look like an object. */
  | { readonly kind: 'html'; readonly etag?: string; readonly type?: string }
  /** For a list, a truncated 200; for everything else, a 200 with an error document. */
  | { readonly kind: 'junk-xml' }
  | { readonly kind: 'redirect'; readonly to: string; readonly status?: number }

/** Wrong responses to a request that is carried out. */
type Wrongly =
  /** Announces the whole length, then ends (FIN) or resets (RST). */
  | { readonly kind: 'truncate'; readonly after: number; readonly how: 'end' | 'reset' }
  /** The right length, but more bytes. */
  | { readonly kind: 'too-long'; readonly extra: number }
  /** Too small a length, but all the bytes. */
  | { readonly kind: 'too-short-length'; readonly by?: number }
  | { readonly kind: 'no-length' }
  /** This many bytes of the body, then nothing; 0 means only the headers. */
  | { readonly kind: 'stall'; readonly after: number }
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
  /** For PUT. */
  | { readonly kind: 'wrong-etag' }
  /** Sent verbatim, in this order, after the right ones; the connection then ends. */
  | { readonly kind: 'hostile-headers'; readonly headers: readonly (readonly [name: string, value: string])[] }
  /** Carried out, then reset without a response. */
  | { readonly kind: 'lost-answer' }

/** Faults before anything is carried out. */
type Before =
  | { readonly kind: 'silent' }
  /** For PUT: a reset when this many bytes have arrived, or at the end of fewer. */
  | { readonly kind: 'reset-on-put'; readonly after: number }
  /** Carried out and answered correctly, but not before this resolves. */
  | { readonly kind: 'hold'; readonly until: Promise<unknown> }

export type Fault = Instead | Wrongly | Before

export const isOfPut = ({ kind }: Fault) => kind === 'reset-on-put' || kind === 'wrong-etag'

const codes: Readonly<Record<number, string>> = {
  400: 'InvalidRequest',
  403: 'AccessDenied',
  404: 'NoSuchKey',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'SlowDown',
}

const portal = '<!doctype html><title>Log in</title><h1>Welcome to the network</h1><form><input name="user"></form>'

/** Null for a fault that does not replace the store's response. */
export function replyInstead(fault: Fault | null, asked: Asked, right: () => Reply): Reply | null {
  switch (fault?.kind) {
    case 'status': {
      const usual = failure(fault.status, codes[fault.status] ?? 'Error', fault.headers)
      const bytes = fault.body === undefined ? usual.bytes : Buffer.from(fault.body)
      const isForeign = fault.isForeign ?? /html/.test(fault.type ?? '')
      return {
        ...usual,
        headers: { ...usual.headers, ...(fault.type && { 'Content-Type': fault.type }) },
        bytes,
        isForeign,
      }
    }
    case 'html':
      return {
        status: 200,
        headers: {
          'Content-Type': fault.type ?? 'text/html; charset=utf-8',
          ...(fault.etag && { ETag: `"${fault.etag}"`, 'Last-Modified': new Date().toUTCString() }),
        },
        bytes: Buffer.from(portal),
        isForeign: true,
      }
    case 'junk-xml': {
      if (asked.operation !== 'list') return { ...failure(500, 'InternalError'), status: 200 }
      const { bytes, ...rest } = right()
      return { ...rest, bytes: bytes.subarray(0, Math.floor(bytes.length / 2)) }
    }
    case 'redirect':
      return xml(fault.status ?? 307, '<Error><Code>TemporaryRedirect</Code></Error>', { Location: fault.to })
    default:
      return null
  }
}

export async function send(
  response: ServerResponse,
  reply: Reply,
  fault: Fault | null,
  isMarked: boolean,
): Promise<void> {
  const { status, bytes } = reply
  const headers: Record<string, string | number> = {
    ...(isMarked && reply.isForeign !== true && { 'x-amz-request-id': 'scripted' }),
    ...reply.headers,
  }
  // A 204 and a 304 have no body, and so no length.
  if (status !== 204 && status !== 304) headers['Content-Length'] = bytes.length
  switch (fault?.kind) {
    case 'truncate':
      response.writeHead(status, headers)
      await flushed(response, bytes.subarray(0, fault.after))
      if (fault.how === 'end') response.socket?.end()
      else response.socket?.resetAndDestroy()
      return
    case 'stall':
      response.writeHead(status, headers)
      return flushed(response, bytes.subarray(0, fault.after))
    case 'slow':
      response.writeHead(status, headers)
      return trickle(response, bytes, fault.bytesPerSecond)
    case 'too-long':
      response.writeHead(status, headers).end(Buffer.concat([bytes, Buffer.alloc(fault.extra, 'x')]))
      return
    case 'too-short-length':
      headers['Content-Length'] = Math.max(0, bytes.length - (fault.by ?? 1))
      break
    case 'no-length':
      delete headers['Content-Length']
      response.writeHead(status, headers).write(bytes)
      response.end()
      return
    case 'wrong-etag':
      headers.ETag = `"${md5Of(Buffer.from('something else'))}"`
      break
    case 'lost-answer':
      response.socket?.resetAndDestroy()
      return
    case 'hostile-headers': {
      const all = [...Object.entries(headers), ...fault.headers, ['Connection', 'close'] as const]
      const head = `HTTP/1.1 ${status} OK\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
      response.socket?.end(
        Buffer.concat([Buffer.from(head, 'latin1'), response.req.method === 'HEAD' ? Buffer.of() : bytes]),
      )
      return
    }
    default:
  }
  response.writeHead(status, headers).end(bytes)
}

/** Resolves when the kernel has everything: an earlier reset would discard it. */
async function flushed(response: ServerResponse, bytes: Buffer): Promise<void> {
  response.flushHeaders()
  if (bytes.length > 0) response.write(bytes)
  await new Promise((resolve) => response.socket?.write('', resolve))
}

function trickle(response: ServerResponse, bytes: Buffer, bytesPerSecond: number): void {
  const turns = 20
  const size = Math.max(1, Math.round(bytesPerSecond / turns))
  let sent = 0
  response.flushHeaders()
  const timer = setInterval(
    () => {
      response.write(bytes.subarray(sent, sent + size))
      sent += size
      if (sent >= bytes.length) response.end()
    },
    (1000 * size) / bytesPerSecond,
  )
  for (const end of ['finish', 'close']) response.once(end, () => clearInterval(timer))
}
