import { commonNameOf, endingsOf } from './image-types.ts'

/** The number of first bytes that tell the types apart. */
export const signatureBytes = 32

/** The number of first bytes in which the root of an SVG must come. */
export const beginBytes = 16_384
/** More than the list of brands of an ISO media file. */
const maxSignatureBytes = 256

/** One character for each byte. Not a Buffer's, since the console uses this too. */
const textOf = (bytes: Uint8Array) => String.fromCharCode(...bytes)

type Test = (head: string) => boolean

const starts =
  (...signatures: readonly string[]): Test =>
  (head) =>
    signatures.some((signature) => head.startsWith(signature))

/** The first box of an ISO media file names its brands; `mif1` and `msf1` stand for several types. */
const brand =
  (...brands: readonly string[]): Test =>
  (head) =>
    head.startsWith('ftyp', 4) && [...brands, 'mif1', 'msf1'].some((name) => head.includes(name, 8))

const webp: Test = (head) => head.startsWith('RIFF') && head.startsWith('WEBP', 8)

/** Text in UTF-8 or UTF-16 that can be XML; after 32 blanks anything can follow. */
const svg: Test = (head) => /^(?:\xef\xbb\xbf)?\s*(?:<(?!html|!doctype\s+html)|$)|^(?:\xff\xfe|\xfe\xff)/i.test(head)

const heif = brand('heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs')
const ico = starts('\0\0\x01\0', '\0\0\x02\0')
const bmp = starts('BM')

const tests: Readonly<Record<string, Test>> = {
  'image/avif': brand('avif', 'avis'),
  'image/bmp': bmp,
  'image/gif': starts('GIF87a', 'GIF89a'),
  'image/heic': heif,
  'image/heif': heif,
  'image/jp2': starts('\0\0\0\x0cjP  \r\n\x87\n'),
  'image/jpeg': starts('\xff\xd8\xff'),
  'image/jxl': starts('\xff\n', '\0\0\0\x0cJXL \r\n\x87\n'),
  'image/png': starts('\x89PNG\r\n\x1a\n'),
  'image/qoi': starts('qoif'),
  'image/svg+xml': svg,
  'image/tiff': starts('II*\0', 'MM\0*', 'II+\0', 'MM\0+'),
  'image/vnd.microsoft.icon': ico,
  'image/webp': webp,
}

/** Signatures of two bytes, or of a bracket, prove too little against a file of a type without a signature. */
const plain = Object.values(tests).filter((test) => ![bmp, ico, svg].includes(test))

/** Whether a file that begins like this can be of that type. One without a known signature must match no other. */
export function looksLike(type: string, head: Uint8Array): boolean {
  const test = tests[commonNameOf(type)]
  const text = textOf(head.subarray(0, maxSignatureBytes))
  return test ? test(text) : !plain.some((other) => other(text))
}

/** The type of an image by its first bytes, and the endings of such names; null if they fit several, or prove too little. */
export function typeOfBytes(head: Uint8Array): { readonly type: string; readonly endings: readonly string[] } | null {
  const begin = textOf(head.subarray(0, signatureBytes))
  const [type, other] = Object.keys(tests).filter((each) => plain.includes(tests[each] as Test) && tests[each]?.(begin))
  return type === undefined || other !== undefined ? null : { type, endings: endingsOf(type) }
}

/** Other XML documents are no images. UTF-16 is not searched for the root. */
const svgRoot = /<(?:[\w.-]+:)?svg[\s/>]|^(?:\xff\xfe|\xfe\xff)/

/** Whether a file is an image of a known type. `head`: its first bytes, `beginBytes` or all of them. */
export function isImage(head: Uint8Array): boolean {
  const begin = textOf(head.subarray(0, signatureBytes))
  return Object.values(tests).some((test) => test(begin) && (test !== svg || svgRoot.test(textOf(head))))
}
