import { looksLike, signatureBytes } from './signatures.ts'

interface Part {
  readonly length: number
  readonly isLast?: boolean
}

/** A part is a chunk, segment or box. Null: more bytes must be known. */
type PartAt = (view: DataView, bytes: Uint8Array, at: number) => Part | null

interface Format {
  readonly types: readonly string[]
  /** Before the first part. */
  readonly startBytes: number
  /** Whether its last part says that it is the last. */
  readonly hasLast: boolean
  readonly partAt: PartAt
}

const has = (bytes: Uint8Array, at: number, count: number) => bytes.length >= at + count

/** Length, name, data and checksum of a chunk; `IEND` is the last. */
const chunkOfPng: PartAt = (view, bytes, at) =>
  has(bytes, at, 8) ? { length: 12 + view.getUint32(at), isLast: view.getUint32(at + 4) === 0x49_45_4e_44 } : null

const isAlone = (marker: number) => marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)

/** A segment begins with FF and its marker; between segments is compressed data, in which FF 00 stands for FF. */
const segmentOfJpeg: PartAt = (view, bytes, at) => {
  if (bytes[at] !== 0xff) {
    const next = bytes.indexOf(0xff, at)
    return { length: (next === -1 ? bytes.length : next) - at }
  }
  if (!has(bytes, at, 2)) return null
  const marker = bytes[at + 1] as number
  if (marker === 0xff) return { length: 1 }
  if (marker === 0xd9) return { length: 2, isLast: true }
  if (isAlone(marker)) return { length: 2 }
  return has(bytes, at, 4) ? { length: 2 + view.getUint16(at + 2) } : null
}

/** All of a WebP file is one chunk. */
const chunkOfRiff: PartAt = (view, bytes, at) =>
  has(bytes, at, 8) ? { length: 8 + view.getUint32(at + 4, true), isLast: true } : null

/** At the top of a file. Whatever else follows them is no part of it. */
const boxes = new Set([
  'ftyp',
  'styp',
  'pdin',
  'meta',
  'meco',
  'moov',
  'moof',
  'mfra',
  'sidx',
  'ssix',
  'prft',
  'emsg',
  'mdat',
  'imda',
  'free',
  'skip',
  'wide',
  'uuid',
])

/** A box has a length of 32 bits, or 1 and one of 64 bits, or 0 if it reaches to the end of the file. */
const boxOfIso: PartAt = (view, bytes, at) => {
  if (!has(bytes, at, 8)) return null
  const length = view.getUint32(at)
  const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
  if (length === 0 || !boxes.has(name)) return { length: bytes.length - at, isLast: true }
  if (length > 1) return { length: Math.max(length, 8) }
  return has(bytes, at, 16) ? { length: Math.max(Number(view.getBigUint64(at + 8)), 16) } : null
}

const formats: readonly Format[] = [
  { types: ['image/png'], startBytes: 8, hasLast: true, partAt: chunkOfPng },
  { types: ['image/jpeg'], startBytes: 0, hasLast: true, partAt: segmentOfJpeg },
  { types: ['image/webp'], startBytes: 0, hasLast: true, partAt: chunkOfRiff },
  { types: ['image/avif', 'image/heic'], startBytes: 0, hasLast: false, partAt: boxOfIso },
]

/**
 * Whether an image ends before its own structure does, as a download that broke off. It follows PNG, JPEG, WebP, AVIF
 * and HEIC as their bytes pass, and decodes nothing; of other types nothing is known. The console uses it too.
 */
export class EndCheck {
  #format: Format | null | undefined
  #hasEnded = false
  /** How many of the next bytes belong to the part before. */
  #skip = 0
  /** The beginning of a part. */
  #rest = new Uint8Array()

  take(piece: Uint8Array): void {
    if (this.#format === null || (this.#hasEnded && this.#skip === 0)) return
    if (this.#skip >= piece.length) {
      this.#skip -= piece.length
      return
    }
    const bytes = this.#rest.length === 0 ? piece : joined(this.#rest, piece)
    this.#rest = new Uint8Array()
    if (this.#format === undefined) {
      // The caller may free the piece.
      if (bytes.length < signatureBytes) this.#rest = Uint8Array.from(bytes)
      else this.#begin(bytes)
    }
    if (this.#format) this.#follow(this.#format, bytes)
  }

  get isCutOff(): boolean {
    return this.#format != null && (this.#skip > 0 || (this.#format.hasLast && !this.#hasEnded))
  }

  #begin(bytes: Uint8Array): void {
    this.#format =
      formats.find(({ types }) => types.some((type) => looksLike(type, bytes.subarray(0, signatureBytes)))) ?? null
    this.#skip = this.#format?.startBytes ?? 0
  }

  #follow({ partAt }: Format, bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    let at = this.#skip
    while (at < bytes.length && !this.#hasEnded) {
      const part = partAt(view, bytes, at)
      if (part === null) {
        this.#rest = Uint8Array.from(bytes.subarray(at))
        break
      }
      this.#hasEnded = part.isLast ?? false
      at += part.length
    }
    this.#skip = Math.max(at - bytes.length, 0)
  }
}

function joined(one: Uint8Array, other: Uint8Array) {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}

export const cutOffText = 'it ends early: a part of the image is missing'

/** Lets the pieces pass. */
export async function* checkingEnd<T extends Uint8Array>(check: EndCheck, pieces: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const piece of pieces) {
    // The consumer may free it.
    check.take(piece)
    yield piece
  }
}

export async function endsEarly(pieces: AsyncIterable<Uint8Array>): Promise<boolean> {
  const check = new EndCheck()
  for await (const piece of pieces) check.take(piece)
  return check.isCutOff
}
