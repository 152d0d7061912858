import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type Coding = 'br' | 'gzip' | 'identity'

/** Best first. */
const ours: readonly Coding[] = ['br', 'gzip', 'identity']

/**
 * The coding for an `Accept-Encoding` (RFC 9110 §12.5.3): the acceptable one with the highest weight. `identity` that is
 * not listed comes last. If only `identity` is refused, and nothing else listed, gzip; what refuses everything is ignored.
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

const [gzipText, brotliText] = [promisify(gzip), promisify(brotliCompress)]

/** For a text that is compressed once and sent often. Brotli's 11 saves a tenth more, in twenty times the time. */
export const compressWell = (text: string, coding: Exclude<Coding, 'identity'>): Promise<Buffer> =>
  coding === 'br' ? brotliText(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }) : gzipText(text, { level: 9 })
