import type { IncomingMessage } from 'node:http'
import { protocolErrors } from './errors.ts'
import { type Refusal, Refused } from './refusal.ts'

export interface BodyLimits {
  readonly bytes: number
  readonly timeoutMs: number
  readonly badJson: Refusal
}

/**
 * The parsed JSON body; undefined where there is none. Refuses by the head before a byte is read, and stops
 * reading at the limit. What stands in a body is data: only declared fields are ever looked at.
 */
export async function readJson(req: IncomingMessage, limits: BodyLimits, onRead: () => void): Promise<unknown> {
  const length = req.headers['content-length']
  if (req.headers['transfer-encoding'] === undefined && (length === undefined || Number(length) === 0)) return undefined
  const wrong = wrongHead(req)
  if (wrong && length !== undefined) throw new Refused(wrong)
  if (Number(length) > limits.bytes) throw new Refused(protocolErrors.tooLarge)
  onRead()
  // Whoever left while somebody else was asked has told so already, and does not tell it again.
  if (req.destroyed || req.socket.destroyed) throw new ClientGone()
  const bytes = await readBytes(req, limits, wrong)
  return bytes.length === 0 ? undefined : parse(bytes, limits.badJson)
}

function wrongHead(req: IncomingMessage): Refusal | null {
  const encoding = req.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return protocolErrors.badEncoding
  const type = req.headers['content-type']
  if (type === undefined || type === '') return null
  return /^application\/json[ \t]*(;|$)/i.test(type) ? null : protocolErrors.badType
}

/** `wrong`: what to refuse with once there is a byte; a chunked body may turn out empty, and then counts as absent. */
function readBytes(req: IncomingMessage, limits: BodyLimits, wrong: Refusal | null): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const timer = setTimeout(() => settle(() => reject(new Refused(protocolErrors.timeout))), limits.timeoutMs)
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (wrong) settle(() => reject(new Refused(wrong)))
      else if (size > limits.bytes) settle(() => reject(new Refused(protocolErrors.tooLarge)))
      else chunks.push(chunk)
    }
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks, size)))
    const onClose = () => settle(() => reject(new ClientGone()))
    const settle = (act: () => void) => {
      clearTimeout(timer)
      req.off('data', onData).off('end', onEnd).off('close', onClose)
      req.pause()
      act()
    }
    req.on('data', onData).on('end', onEnd).on('close', onClose)
  })
}

/** The client left before its request was whole; there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parse(bytes: Buffer, badJson: Refusal): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new Refused(badJson)
  }
}

/** Reads one own field of a parsed body; a body that is not an object has none. */
export function fieldReader(body: unknown): (name: string) => unknown {
  if (typeof body !== 'object' || body === null) return () => undefined
  return (name) => (Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined)
}

/** The names of all fields of a parsed body. */
export const fieldNames = (body: unknown): string[] =>
  typeof body === 'object' && body !== null ? Object.keys(body) : []
