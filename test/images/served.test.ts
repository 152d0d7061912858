import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { linesOf } from '../../src/http/headers.ts'
import { caller, headerLines, isEtag, typeOf, validatorLines } from '../../src/images/served.ts'
import { anyCodePoint, assertProperty } from '../support/seed.ts'

const head = { etag: 'abc', size: 3, modified: Date.parse('2026-03-04T05:06:07.890Z'), type: 'image/png' }
const always = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
}
const open = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=3600, stale-if-error=86400' }
const validators = { ETag: '"abc"', 'Last-Modified': 'Wed, 04 Mar 2026 05:06:07 GMT' }
const isDownload = (type: string) => headerLines({ ...head, type }).includes('\r\nContent-Disposition: attachment\r\n')

describe('The headers of an image', () => {
  it('are this list and no other', () => {
    const ofBytes = { 'Accept-Ranges': 'bytes', 'Content-Type': 'image/png' }
    assert.equal(headerLines(head), linesOf({ ...always, ...open, ...validators, ...ofBytes }))
    assert.equal(
      headerLines({ ...head, type: 'text/html' }, caller),
      linesOf({
        ...always,
        'Cache-Control': 'no-store',
        ...validators,
        'Accept-Ranges': 'bytes',
        'Content-Type': 'text/html',
        'Content-Disposition': 'attachment',
      }),
    )
  })

  it('without the image are its validators', () => {
    assert.equal(validatorLines(head), linesOf({ ...always, ...open, ...validators }))
    assert.equal(validatorLines(head, caller), linesOf({ ...always, 'Cache-Control': 'no-store', ...validators }))
  })
})

describe('The type of an image', () => {
  it('is the stored one, to the letter', () => {
    for (const type of [
      ...['image/png', 'image/jpeg', 'IMAGE/GIF', 'Image/WebP', 'image/svg+xml', 'text/html', 'application/json'],
      ...['text/html; charset=utf-8', 'image/png;a=b;c="d e"', 'image/png ; q="a,b;c"', 'a/b', 'image/*', 'x-y/z.1+2'],
      ...['application/octet-stream;x=y', 'image/octet-stream', 'video/mp4', 'multipart/form-data; boundary=x'],
      ...['image/png;', 'image/png;;a=b', 'image/png ; ;a=b;', 'image/png; a="b\\"c\\\\"'],
    ])
      assert.equal(typeOf({ type }), type)
  })

  it('is image/jpeg if there is none, or a generic one', () => {
    for (const type of [
      ...[null, 'binary/octet-stream', 'application/octet-stream', 'BINARY/OCTET-STREAM', 'Application/Octet-Stream'],
    ])
      assert.equal(typeOf({ type }), 'image/jpeg')
  })

  it('is image/jpeg if the stored one is not one media type', () => {
    for (const type of [
      ...['', ' ', 'x', 'image', 'image/', '/png', '/', 'image//png', 'image/png/x', 'image png', 'image /png'],
      ...[
        ...['image/ png', ' image/png', 'image/png ', 'image/png,text/html', 'image/png, image/png'],
        ...['image/png text/html'],
      ],
      ...[
        ...['image/png;;a', 'image/png; ', 'image/png;a', 'image/png;a=', 'image/png;=b', 'image/png;a="b'],
        ...['image/png;a=b c'],
      ],
      ...[
        ...['image/png;a = b', 'image/png;a=b,', 'image/png;a="b"c', 'image/png; a="b\\"', 'image/png; a=b\\c'],
        ...['image/png\r\nX: y', '\u0000'],
      ],
      ...[
        ...['image/png\n', 'image/png; a="b\r\nX: y"', 'image/pñg', 'im<age/png', 'image/"png"', 'image/png\u0000'],
        ...['图/片'],
      ],
      ...['image/png;a="é"', 'text/html\ttext/html', 'text/html;charset=utf-8, image/png'],
    ])
      assert.equal(typeOf({ type }), 'image/jpeg', JSON.stringify(type))
  })

  it('can always be sent in a header', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCodePoint }),
      fc.string({ unit: fc.constantFrom(...'image/png;a="= ,\r\n\t\\é') }),
    )
    assertProperty(
      fc.property(text, (type) => {
        assert.match(typeOf({ type }), /^[\x20-\x7e\t]+$/)
        assert.match(typeOf({ type }), /^[^/ ]+\/[^/ ;]+/)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('A download', () => {
  it('is never a raster image, whatever its parameters and case', () => {
    for (const type of [
      ...['png', 'apng', 'x-png', 'vnd.mozilla.apng', 'jpeg', 'jpg', 'pjpeg', 'gif', 'webp', 'avif', 'heic', 'heif'],
      ...['bmp', 'x-ms-bmp', 'tiff', 'x-icon', 'vnd.microsoft.icon', 'jxl', 'jp2', 'qoi'],
    ])
      for (const spelled of [
        `image/${type}`,
        `IMAGE/${type.toUpperCase()}`,
        `image/${type}; a="b;c"`,
        `image/${type} ;a=b`,
      ])
        assert.equal(isDownload(spelled), false, spelled)
    // Bytes without a type are served as a JPEG.
    for (const type of ['application/octet-stream', 'x', 'text/html, image/png']) assert.equal(isDownload(type), false)
  })

  it('is everything else', () => {
    for (const type of [
      ...['image/svg+xml', 'IMAGE/SVG+XML', 'image/svg+xml; charset=utf-8', 'image/svg', 'image/svg-xml', 'image/*'],
      ...['image/unknown', 'image/png+xml', 'image/x', 'image/pngx', 'image/xpng', 'ximage/png', 'image/wmf'],
      ...[
        ...['text/html', 'text/html; charset=utf-8', 'text/html;x="image/png"', 'text/plain', 'text/css'],
        ...['text/javascript'],
      ],
      ...['application/xhtml+xml', 'application/xml', 'text/xml', 'application/rss+xml', 'application/javascript'],
      ...['application/pdf', 'application/x-shockwave-flash', 'application/json', 'application/zip', 'video/mp4'],
      ...['multipart/x-mixed-replace;boundary=x', 'message/rfc822', 'application/octet-stream; x=y', '*/*'],
    ])
      assert.equal(isDownload(type), true, type)
  })
})

describe('A tag', () => {
  it('can be sent if it can be quoted and has at most 256 characters', () => {
    for (const etag of ['a', '9b2cf535f27731c974343645a3985328', '9b2c-12', '!#%', '~', 'x'.repeat(256)])
      assert.equal(isEtag(etag), true, etag)
    for (const etag of ['', '"', 'a"b', 'a b', 'a\tb', 'a\r\nX: y', '\u0000', 'é', '\x7f', 'x'.repeat(257)])
      assert.equal(isEtag(etag), false, JSON.stringify(etag))
  })
})
