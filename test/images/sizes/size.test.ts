import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { queryOf, sizeOf, variantOf } from '../../../src/images/sizes/size.ts'

const widths = [160, 320, 640]
const idOf = (format: 'auto' | null, accept?: string) => variantOf({ width: 320, format }, accept, widths).id

describe('A size', () => {
  it('has the next of the allowed widths, or the largest', () => {
    const found = [1, 159, 160, 161, 320, 640, 641, Infinity].map((w) => sizeOf({ w }, widths)?.width)
    assert.deepEqual(found, [160, 160, 160, 320, 320, 640, 640, 640])
  })

  it('is none without w and format', () => {
    assert.equal(sizeOf({}, widths), null)
    assert.equal(queryOf(null), '')
  })

  it('is in the query of a URL what was asked for', () => {
    assert.equal(queryOf(sizeOf({ w: 200 }, widths)), '?w=320')
    assert.equal(queryOf(sizeOf({ format: 'webp' }, widths)), '?format=webp')
    assert.equal(queryOf(sizeOf({ w: 1, format: 'auto' }, widths)), '?w=160&format=auto')
  })

  it('without w is at most the largest width', () => {
    assert.equal(variantOf({ width: null, format: 'webp' }, undefined, widths).width, 640)
  })

  it('has the type of the image unless another is asked for', () => {
    assert.deepEqual(variantOf({ width: 160, format: null }, 'image/webp', widths).formatsFor('gif'), ['gif'])
    assert.deepEqual(variantOf({ width: 160, format: 'png' }, 'image/webp', widths).formatsFor('gif'), ['png'])
  })

  it('with auto may be of the types that Accept names, and of its own unless the client cannot read it', () => {
    const formatsFor = (accept: string | undefined, own: 'jpeg' | 'webp' | 'avif') =>
      variantOf({ width: 160, format: 'auto' }, accept, widths).formatsFor(own)
    assert.deepEqual(formatsFor('image/avif,image/webp,*/*;q=0.8', 'jpeg'), ['jpeg', 'avif', 'webp'])
    assert.deepEqual(formatsFor('text/html, IMAGE/WebP;q=0.3', 'jpeg'), ['jpeg', 'webp'])
    for (const accept of [undefined, '', '*/*', 'image/*', 'image/webpx', 'image/avif;q=0, image/webp;q=0.000'])
      assert.deepEqual(formatsFor(accept, 'jpeg'), ['jpeg'], String(accept))
    assert.deepEqual(formatsFor('image/webp', 'avif'), ['webp'])
    assert.deepEqual(formatsFor('image/avif', 'avif'), ['avif'])
    assert.deepEqual(formatsFor('*/*', 'avif'), ['avif'])
  })

  it('is another variant only for an Accept that allows other types', () => {
    assert.equal(idOf('auto', 'image/webp,image/avif'), idOf('auto', 'text/html, image/avif , image/webp;q=0.2'))
    const ids = [idOf('auto'), idOf('auto', 'image/webp'), idOf('auto', 'image/avif'), idOf(null)]
    assert.equal(new Set(ids).size, ids.length)
    assert.equal(idOf(null), idOf(null, 'image/webp'))
  })
})
