import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { looksLike, signatureBytes, typeOfBytes } from '../../src/images/signatures.ts'

const box = (brands: string) => `\0\0\0\x20ftyp${brands}`

/** What files of each type begin with. */
const heads: readonly (readonly [types: string, ...beginnings: string[]])[] = [
  ['png apng x-png vnd.mozilla.apng', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
  ['jpeg jpg pjpeg', '\xff\xd8\xff\xe0\0\x10JFIF', '\xff\xd8\xff\xe1', '\xff\xd8\xff\xdb'],
  ['gif', 'GIF87a', 'GIF89a'],
  ['webp', 'RIFF\x24\0\0\0WEBPVP8 '],
  ['bmp x-ms-bmp', 'BM\x36\0\0\0'],
  ['tiff', 'II*\0', 'MM\0*', 'II+\0', 'MM\0+'],
  ['vnd.microsoft.icon x-icon', '\0\0\x01\0\x01\0'],
  ['qoi', 'qoif\0\0'],
  ['jp2', '\0\0\0\x0cjP  \r\n\x87\n'],
  ['jxl', '\xff\x0a', '\0\0\0\x0cJXL \r\n\x87\n'],
  ['avif', box('avif\0\0\0\0'), box('avis\0\0\0\0')],
  ['heic heif', box('heic\0\0\0\0'), box('hevc\0\0\0\0')],
]

describe('The first bytes of an image', () => {
  const types = heads.flatMap(([names]) => names.split(' '))

  it('fit its own type, in all its spellings, and no other', () => {
    for (const [names, ...beginnings] of heads)
      for (const beginning of beginnings)
        for (const type of types)
          assert.equal(
            looksLike(`image/${type}`, Buffer.from(beginning, 'latin1')),
            names.split(' ').includes(type),
            `${JSON.stringify(beginning)} as ${type}`,
          )
    const sample = readFileSync(new URL('../../samples/fox/fox-at-dusk.png', import.meta.url))
    assert.ok(looksLike('image/PNG; x=y', sample.subarray(0, signatureBytes)))
  })

  it('say the endings of a name, unless they fit several types or prove too little', () => {
    const unsaid = ['bmp', 'vnd.microsoft.icon', 'heic']
    for (const [names, ...beginnings] of heads)
      for (const beginning of beginnings) {
        const [type = ''] = names.split(' ')
        const endings = { jpeg: ['jpg', 'jpeg'], tiff: ['tif', 'tiff'] }[type] ?? [type]
        const said = { type: `image/${type}`, endings }
        assert.deepEqual(typeOfBytes(Buffer.from(beginning, 'latin1')), unsaid.includes(type) ? null : said)
      }
    for (const text of ['<svg xmlns="', 'BMW', '', box('mif1\0\0\0\0')])
      assert.equal(typeOfBytes(Buffer.from(text, 'latin1')), null)
  })

  it('may be of several types only in an ISO media file that does not say which', () => {
    for (const brands of ['mif1\0\0\0\0', 'msf1\0\0\0\0'])
      for (const type of ['avif', 'heic', 'heif'])
        assert.ok(looksLike(`image/${type}`, Buffer.from(box(brands), 'latin1')))
    assert.ok(looksLike('image/avif', Buffer.from(box('mp41\0\0\0\0avif'), 'latin1')))
    assert.ok(!looksLike('image/heic', Buffer.from(box('mp42\0\0\0\0'), 'latin1')))
  })

  it('never fit a type if they are text, or too few', () => {
    for (const type of types)
      for (const text of ['<!doctype html><html>', '<svg xmlns="', '{"error":', '', '\x89'])
        assert.ok(!looksLike(`image/${type}`, Buffer.from(text, 'latin1')), `${text} as ${type}`)
  })

  it('fit a type without a signature unless they are plainly another', () => {
    const type = 'image/x-portable-pixmap'
    for (const text of ['<svg/>', 'P6 1 1', 'BMW', '']) assert.ok(looksLike(type, Buffer.from(text)), text)
    assert.ok(!looksLike(type, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')))
    assert.ok(!looksLike(type, Buffer.from('GIF89a')))
  })

  it('of SVG are XML, and not HTML', () => {
    const svgs = [
      '<svg/>',
      '\ufeff<?xml version="1.0"?>',
      '\n <!-- x -->',
      '<!DOCTYPE svg>',
      '<s:svg/>',
      ' '.repeat(32),
    ]
    for (const text of svgs) assert.ok(looksLike('image/svg+xml', Buffer.from(text)), text)
    assert.ok(looksLike('image/svg+xml', Buffer.from('\ufeff<svg/>', 'utf16le')))
    const others = ['<html>', '\n<!DOCTYPE html>', '<!doctype  HTML', '{"a":1}', 'GIF89a', '%PDF-1.7', '\x1f\x8b\x08']
    for (const text of others) assert.ok(!looksLike('image/svg+xml', Buffer.from(text, 'latin1')), text)
  })
})
