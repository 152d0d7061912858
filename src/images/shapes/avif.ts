import { type HeaderFile, Unreadable } from './header-file.ts'
import type { Extent } from './shape.ts'

/** The content of a box. */
interface Box {
  readonly type: string
  readonly from: number
  readonly to: number
}

/** Limit for boxes that are read whole. */
const maxBoxBytes = 65_536

/**
 * The size of the primary item, turned by its properties; for a sequence without one, that of the first track. Browsers
 * do not crop (`clap`). Boxes are only looked for where they belong, so nesting is never followed deeper.
 */
export async function parseAvif(file: HeaderFile): Promise<Extent> {
  const whole: Box = { type: '', from: 0, to: file.size }
  const brands = (await contentOf(file, await find(file, whole, 'ftyp'))).toString('latin1')
  if (!/^(?:.{4})*?avi[fs]/s.test(brands)) throw new Unreadable()
  const animated = brands.startsWith('avis')
  const meta = await lookFor(file, whole, 'meta')
  return { ...(meta ? await primaryExtent(file, meta) : await trackExtent(file, whole)), animated }
}

/** Version and flags come first. */
const inner = (box: Box): Box => ({ ...box, from: box.from + 4 })

async function primaryExtent(file: HeaderFile, meta: Box): Promise<Pick<Extent, 'width' | 'height'>> {
  const primary = await contentOf(file, await find(file, inner(meta), 'pitm'))
  const item = primary[0] === 0 ? primary.readUInt16BE(4) : primary.readUInt32BE(4)
  const properties = await find(file, inner(meta), 'iprp')
  const wanted = propertiesOf(item, await contentOf(file, await find(file, properties, 'ipma')))
  const all = await find(file, properties, 'ipco')
  let width = 0
  let height = 0
  for (let at = all.from, index = 1; at < all.to; index++) {
    const box = await boxAt(file, at, all.to)
    at = box.to
    if (!wanted.has(index)) continue
    if (box.type === 'ispe') {
      const sides = await file.take(box.from + 4, 8)
      width = sides.readUInt32BE(0)
      height = sides.readUInt32BE(4)
    } else if (box.type === 'irot' && ((await file.take(box.from, 1)).readUInt8() & 1) === 1)
      [width, height] = [height, width]
  }
  return { width, height }
}

/** The property numbers of an item, from the table of all items. */
function propertiesOf(item: number, table: Buffer): Set<number> {
  const numbers = new Set<number>()
  const [idBytes, numberBytes] = [table[0] === 0 ? 2 : 4, (table.readUInt8(3) & 1) + 1]
  for (let at = 8, left = table.readUInt32BE(4); left > 0; left--) {
    const id = table.readUIntBE(at, idBytes)
    const count = table.readUInt8(at + idBytes)
    at += idBytes + 1
    // The highest bit says whether the property is essential.
    for (let index = 0; index < count && id === item; index++)
      numbers.add(table.readUIntBE(at + index * numberBytes, numberBytes) & (2 ** (8 * numberBytes - 1) - 1))
    if (id === item) return numbers
    at += count * numberBytes
  }
  throw new Unreadable()
}

/** In whole pixels; the fractional part is ignored. */
async function trackExtent(file: HeaderFile, whole: Box): Promise<Pick<Extent, 'width' | 'height'>> {
  const header = await find(file, await find(file, await find(file, whole, 'moov'), 'trak'), 'tkhd')
  const sides = await file.take(header.to - 8, 8)
  return { width: sides.readUInt16BE(0), height: sides.readUInt16BE(4) }
}

async function find(file: HeaderFile, parent: Box, type: string): Promise<Box> {
  const box = await lookFor(file, parent, type)
  if (box === null) throw new Unreadable()
  return box
}

async function lookFor(file: HeaderFile, parent: Box, type: string): Promise<Box | null> {
  for (let at = parent.from; at < parent.to; ) {
    const box = await boxAt(file, at, parent.to)
    if (box.type === type) return box
    at = box.to
  }
  return null
}

async function boxAt(file: HeaderFile, at: number, end: number): Promise<Box> {
  const head = await file.take(at, 8)
  const [length, type] = [head.readUInt32BE(0), head.toString('latin1', 4)]
  const isLong = length === 1
  const from = at + (isLong ? 16 : 8)
  // 0: extends to the end.
  const to = length === 0 ? end : at + (isLong ? Number((await file.take(at + 8, 8)).readBigUInt64BE()) : length)
  if (to < from || to > end) throw new Unreadable()
  return { type, from, to }
}

async function contentOf(file: HeaderFile, { from, to }: Box): Promise<Buffer> {
  if (to - from > maxBoxBytes) throw new Unreadable()
  return file.take(from, to - from)
}
