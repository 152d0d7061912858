import type { ObjectRef } from '../../../images/object-store.ts'
import type { Reply } from './exchange.ts'
import type { RequestParts, SignedRequest } from './request.ts'
import {
  badResponse,
  codeIn,
  codeOf,
  isFromStore,
  isHtml,
  isMarked,
  maxResponseBytes,
  NotFromStore,
  Refusal,
  refusal,
} from './responses.ts'

/** Swift's response to an upload that a newer one overtook: equivalent to being stored and overwritten at once. */
export class Overtaken extends Error {}

const accepted = /^<html><h1>Accepted<\/h1>/

export interface CommandParts extends RequestParts {
  /** Of the body. */
  readonly length?: number
}

export type Command = ReturnType<typeof createCommand>

/**
 * Sends a request and reads its whole response; `text` is the document of a GET, and empty for everything else. Rejects
 * with Refusal if the store refuses it.
 */
export const createCommand =
  (request: SignedRequest) =>
  async (method: string, ref: ObjectRef, { length = 0, headers = [], ...parts }: CommandParts = {}) => {
    const lengthHeader = parts.body === undefined ? [] : ['content-length', String(length)]
    const reply = await request(parts.body === undefined ? 'rest' : 'writes', method, ref, {
      ...parts,
      headers: [...headers, ...lengthHeader],
    })
    if (reply.status >= 300) throw refusal(method, reply.status, await codeOf(reply), reply.headers)
    if (reply.sentBytes < length) {
      reply.body.discard()
      throw badResponse(`${reply.status} before the end of the request`)
    }
    const text = (await reply.body.upTo(maxResponseBytes)).toString()
    if (method !== 'GET' && !isBare(method, reply, text)) throw unexpected(method, reply, text)
    return { headers: reply.headers, text }
  }

/**
 * Only the document of a GET is read; all other successes have an empty body. Without marks, an upload's response must
 * have an ETag, and a created bucket is looked up.
 */
const isBare = (method: string, { status, headers }: Reply, text: string) =>
  text === '' && (status === 204 || isFromStore(headers) || (method === 'PUT' && !isHtml(headers)))

function unexpected(method: string, { status, headers }: Reply, text: string): Error {
  if (method === 'PUT' && isMarked(headers) && accepted.test(text)) return new Overtaken()
  const what = `${status} to a ${method}`
  return isMarked(headers) || codeIn(text) !== null ? badResponse(what) : new NotFromStore(what)
}

export const isRefusal = (error: unknown, ...codes: string[]): error is Refusal =>
  error instanceof Refusal && codes.includes(error.code ?? '')
