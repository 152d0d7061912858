import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { reduceColours } from './palette.ts'
import type { Canvas } from './raster.ts'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** The picture as a PNG with a palette. */
export function encodePng({ pixels, width, height }: Canvas, colours: number): Buffer {
  const { palette, indices } = reduceColours(pixels, colours)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(rowsOf(indices, width, height), { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Whether two files show the same; another processor's zlib may pack the same rows into other bytes. */
export function isSamePicture(one: Buffer, other: Buffer): boolean {
  if (one.equals(other)) return true
  try {
    return unpacked(one).equals(unpacked(other))
  } catch {
    return false
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

/** Every row behind a zero, for "as it is": with a palette, the other filters make it longer. */
function rowsOf(indices: Uint8Array, width: number, height: number): Buffer {
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) rows.set(indices.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  return rows
}

function unpacked(file: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = signature.length; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at)
    const data = file.subarray(at + 8, at + 8 + length)
    parts.push(file.toString('latin1', at + 4, at + 8) === 'IDAT' ? inflateSync(data) : data)
    at += length + 12
  }
  return Buffer.concat(parts)
}
