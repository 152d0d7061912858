import { commonNameOf } from './image-types.ts'

/** The number of first bytes that tell the types apart. */
export const signatureBytes = 32

type Test = (head: Buffer) => boolean

const starts =
  (...signatures: readonly (string | readonly number[])[]): Test =>
  (head) =>
    signatures.some((signature) => {
      const bytes = Buffer.from(signature as string, 'latin1')
      return head.subarray(0, bytes.length).equals(bytes)
    })

/** The first box of an ISO media file names its brands; `mif1` and `msf1` stand for several types. */
const brand =
  (...brands: readonly string[]): Test =>
  (head) =>
    head.toString('latin1', 4, 8) === 'ftyp' &&
    [...brands, 'mif1', 'msf1'].some((name) => head.toString('latin1', 8).includes(name))

const webp: Test = (head) => head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP'

/** Text in UTF-8 or UTF-16 that can be XML; after 32 blanks anything can follow. */
const svg: Test = (head) =>
  /^(?:\xef\xbb\xbf)?\s*(?:<(?!html|!doctype\s+html)|$)|^(?:\xff\xfe|\xfe\xff)/i.test(head.toString('latin1'))

const heif = brand('heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs')
const ico = starts([0, 0, 1, 0], [0, 0, 2, 0])
const bmp = starts('BM')

const tests: Readonly<Record<string, Test>> = {
  'image/avif': brand('avif', 'avis'),
  'image/bmp': bmp,
  'image/gif': starts('GIF87a', 'GIF89a'),
  'image/heic': heif,
  'image/heif': heif,
  'image/jp2': starts('\0\0\0\x0cjP  \r\n\x87\n'),
  'image/jpeg': starts([0xff, 0xd8, 0xff]),
  'image/jxl': starts([0xff, 0x0a], '\0\0\0\x0cJXL \r\n\x87\n'),
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
export function looksLike(type: string, head: Buffer): boolean {
  const test = tests[commonNameOf(type)]
  return test ? test(head) : !plain.some((other) => other(head))
}

/** Other XML documents are no images. UTF-16 is not searched for the root. */
const svgRoot = /<(?:[\w.-]+:)?svg[\s/>]|^(?:\xff\xfe|\xfe\xff)/

/** Whether a file is an image of a known type. `head`: its first kilobytes, since the root of an SVG may come late. */
export function isImage(head: Buffer): boolean {
  const begin = head.subarray(0, signatureBytes)
  return Object.values(tests).some((test) => test(begin) && (test !== svg || svgRoot.test(head.toString('latin1'))))
}
