import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { Headers } from './headers.ts'

export type Coding = 'br' | 'gzip' | 'identity'

/** Best first. */
const ours: readonly Coding[] = ['br', 'gzip', 'identity']

/**
 * The coding for an `Accept-Encoding` (RFC 9110 §12.5.3): the acceptable one with the highest weight. An unlisted
 * `identity` comes last. A header that only refuses `identity` gets gzip; one that refuses everything is ignored.
 */
export function chooseCoding(header: string | undefined): Coding {
  if (header === undefined || header.trim() === '') return 'identity'
  const weights = weightsOf(header)
  const any = weights.get('*')
  const weightOf = (coding: Coding) =>
    weights.get(coding) ?? (coding === 'identity' && any !== 0 ? leastWeight : any) ?? 0
  const best = ours.reduce((chosen, coding) => (weightOf(coding) > weightOf(chosen) ? coding : chosen))
  if (weightOf(best) > 0) return best
  return any === 0 ? 'identity' : 'gzip'
}

const leastWeight = 0.0001

/** Malformed members are ignored. */
function weightsOf(header: string): Map<string, number> {
  const members = header.split(',').flatMap((member): [string, number][] => {
    const [, name = '', weight = '1'] =
      /^\s*([\w*-]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i.exec(member) ?? []
    return name === '' ? [] : [[name.toLowerCase().replace(/^x-gzip$/, 'gzip'), Number(weight)]]
  })
  return new Map(members)
}

export type Compressed = Exclude<Coding, 'identity'>

/** For every compressible response, whether it is compressed or not. */
export const codingHeaders = (coding: Coding): Headers => ({
  Vary: 'Accept-Encoding',
  ...(coding !== 'identity' && { 'Content-Encoding': coding }),
})

/** The ETag of a text, without quotes. */
export const tagOf = (text: string | Buffer) => createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** Each coding of a text has its own ETag (RFC 9110 §8.8.3.3). */
export const codedTag = (tag: string, coding: Coding) => (coding === 'identity' ? tag : `${tag}-${coding}`)

const brotliOf = (quality: number, windowBits: number) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: windowBits },
})

/** For responses that are sent once. Brotli's window is 256 KiB: the default takes 4 MiB per response. */
const quick = { gzip: { level: 4 }, br: brotliOf(4, 18) }

const [gzipText, brotliText] = [promisify(gzip), promisify(brotliCompress)]

export const compress = (text: string, coding: Compressed): Promise<Buffer> =>
  coding === 'br' ? brotliText(text, quick.br) : gzipText(text, quick.gzip)

/** For a text compressed once and sent often. Brotli's level 11 saves a tenth more but takes twenty times as long. */
export const compressWell = (text: string, coding: Compressed): Promise<Buffer> =>
  coding === 'br' ? brotliText(text, brotliOf(9, 22)) : gzipText(text, { level: 9 })

/** Reads the chunks only as fast as the compressed ones are read, and fails if reading them does. */
export function compressChunks(chunks: AsyncIterable<string>, coding: Compressed): AsyncIterable<Uint8Array> {
  const coder = coding === 'br' ? createBrotliCompress(quick.br) : createGzip(quick.gzip)
  // A failure also ends the coder, and thus reaches its reader.
  pipeline(chunks, coder).catch(() => {})
  return coder
}
