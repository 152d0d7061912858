import { readHttpDate } from '../lib/http-date.ts'

/** As parsed by Node, which joins repeated headers into one string. */
export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The current version of the resource. */
export interface Version {
  /** Strong, without quotes. */
  readonly etag: string
  readonly modified: number
  readonly size: number
}

/** `first` and `last` are inclusive. */
export type Verdict =
  | { readonly status: 200 | 304 | 412 | 416 }
  | { readonly status: 206; readonly first: number; readonly last: number }

const names = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'range'] as const

/** Whether the response may be anything but a plain 200. */
export const isConditional = (headers: RequestHeaders) => names.some((name) => headers[name] !== undefined)

/**
 * For a resource that is a different one each time: drops the conditions by date, which say nothing about it. A range
 * that depends on a date is dropped too, so that the whole resource is sent.
 */
export function withoutDates(headers: RequestHeaders): RequestHeaders {
  if (!isConditional(headers)) return headers
  const { 'if-modified-since': _since, 'if-unmodified-since': _until, ...others } = headers
  const condition = textOf(others, 'if-range')
  if (condition === undefined || isTag(condition)) return others
  const { 'if-range': _condition, range: _range, ...whole } = others
  return whole
}

/**
 * Evaluates a GET or HEAD by RFC 9110 §13.2.2 and §14.2: preconditions in their order, then the range. HEAD ignores
 * ranges. A request for several ranges gets the whole resource; a malformed header is ignored.
 */
export function evaluate(method: string | undefined, headers: RequestHeaders, version: Version): Verdict {
  if (!mayProceed(headers, version)) return { status: 412 }
  if (isUnchanged(headers, version)) return { status: 304 }
  const range = method === 'GET' ? textOf(headers, 'range') : undefined
  return range === undefined || !matchesIfRange(textOf(headers, 'if-range'), version)
    ? { status: 200 }
    : rangeOf(range, version.size)
}

/** False if `If-Match` or `If-Unmodified-Since` asks for another version: a 412. */
export function mayProceed(headers: RequestHeaders, { etag, modified }: Version): boolean {
  const match = textOf(headers, 'if-match')
  if (match !== undefined) return match.trim() === '*' || tagsOf(match).some((tag) => tag === `"${etag}"`)
  const date = dateOf(textOf(headers, 'if-unmodified-since'))
  return date === undefined || wholeSeconds(modified) <= date
}

function isUnchanged(headers: RequestHeaders, { etag, modified }: Version): boolean {
  if (headers['if-none-match'] !== undefined) return matchesIfNoneMatch(headers, etag)
  const date = dateOf(textOf(headers, 'if-modified-since'))
  return date !== undefined && wholeSeconds(modified) <= date
}

/** `If-None-Match` names this version: a 304. */
export function matchesIfNoneMatch(headers: RequestHeaders, etag: string): boolean {
  const header = textOf(headers, 'if-none-match')
  if (header === undefined) return false
  return header.trim() === '*' || tagsOf(header).some((tag) => tag.replace(/^W\//, '') === `"${etag}"`)
}

/** A weak tag never matches (RFC 9110 §13.1.5); a date must match exactly. */
function matchesIfRange(header: string | undefined, { etag, modified }: Version): boolean {
  if (header === undefined) return true
  const text = header.trim()
  return isTag(text) ? text === `"${etag}"` : dateOf(text) === wholeSeconds(modified)
}

const isTag = (text: string) => /^(W\/)?"/.test(text.trim())

function rangeOf(text: string, size: number): Verdict {
  const [, from = '', to = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(text.trim()) ?? []
  if (from === '' && to === '') return { status: 200 }
  // A number too large to be exact is past the end of any object.
  const last = size - 1
  if (from === '') {
    const suffix = Number(to)
    return suffix === 0 || size === 0 ? { status: 416 } : { status: 206, first: Math.max(0, size - suffix), last }
  }
  const first = Number(from)
  if (to !== '' && isBelow(to, from)) return { status: 200 }
  return first > last ? { status: 416 } : { status: 206, first, last: to === '' ? last : Math.min(Number(to), last) }
}

const isBelow = (a: string, b: string) => BigInt(a) < BigInt(b)

/** Empty if the text is not a list of entity tags. */
function tagsOf(list: string): readonly string[] {
  return /^[ \t,]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:[ \t]*,[ \t,]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*[ \t,]*$/.test(
    list,
  )
    ? (list.match(/(?:W\/)?"[^"]*"/g) ?? [])
    : []
}

const textOf = (headers: RequestHeaders, name: (typeof names)[number]) => headers[name] as string | undefined
const dateOf = (text: string | undefined) => (text === undefined ? undefined : readHttpDate(text))
const wholeSeconds = (ms: number) => Math.floor(ms / 1000) * 1000
