import type { IncomingMessage } from 'node:http'
import { protocolErrors } from './errors.ts'
import { type Refusal, Refused } from './refusal.ts'

export interface BodyBounds {
  readonly bytes: number
  readonly timeoutMs: number
  readonly badJson: Refusal
  readonly takesForm: boolean
}

/**
 * The parsed JSON body, or the fields of a form; undefined if there is none. Refuses by the head if possible; stops
 * reading at the limit.
 */
export async function readJson(req: IncomingMessage, bounds: BodyBounds, onRead: () => void): Promise<unknown> {
  const length = req.headers['content-length']
  if (req.headers['transfer-encoding'] === undefined && (length === undefined || Number(length) === 0)) return undefined
  const wrong = wrongHead(req, bounds.takesForm ? jsonOrForm : json)
  if (wrong && length !== undefined) throw new Refused(wrong)
  if (Number(length) > bounds.bytes) throw new Refused(protocolErrors.tooLarge)
  onRead()
  // If the client disconnected during the access check, no further event follows.
  if (req.destroyed || req.socket.destroyed) throw new ClientGone()
  const bytes = await readBytes(req, bounds, wrong)
  return bytes.length === 0 ? undefined : parse(bytes, form.test(req.headers['content-type'] ?? ''), bounds.badJson)
}

const json = /^application\/json[ \t]*(;|$)/i
const form = /^application\/x-www-form-urlencoded[ \t]*(;|$)/i
const jsonOrForm = new RegExp(`${json.source}|${form.source}`, 'i')

function wrongHead(req: IncomingMessage, types: RegExp): Refusal | null {
  const encoding = req.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return protocolErrors.badEncoding
  const type = req.headers['content-type']
  if (type === undefined || type === '') return null
  return types.test(type) ? null : protocolErrors.badType
}

/** `wrong`: refuses with this at the first byte. A chunked body may turn out to be empty, and then counts as absent. */
function readBytes(req: IncomingMessage, bounds: BodyBounds, wrong: Refusal | null): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const timer = setTimeout(() => settle(() => reject(new Refused(protocolErrors.timeout))), bounds.timeoutMs)
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (wrong) settle(() => reject(new Refused(wrong)))
      else if (size > bounds.bytes) settle(() => reject(new Refused(protocolErrors.tooLarge)))
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

/** The client disconnected before its request was complete: no response can be sent. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Plain `curl -d` sends everything as a form, JSON too. */
function parse(bytes: Buffer, isForm: boolean, badJson: Refusal): unknown {
  try {
    const text = utf8.decode(bytes)
    if (isForm && /^[^{=&\s][^=&]*=/.test(text)) return new URLSearchParams(text)
    return JSON.parse(text)
  } catch {
    throw new Refused(badJson)
  }
}

/** Reads own fields of a parsed body, in a form the first of a name; a body that is not an object has none. */
export function fieldReader(body: unknown): (name: string) => unknown {
  if (body instanceof URLSearchParams) return (name) => body.get(name) ?? undefined
  if (typeof body !== 'object' || body === null) return () => undefined
  return (name) => (Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined)
}

export function fieldNames(body: unknown): string[] {
  if (body instanceof URLSearchParams) return [...body.keys()]
  return typeof body === 'object' && body !== null ? Object.keys(body) : []
}
