import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { httpUrl } from '../../src/config/formats.ts'
import { describeAsJson, describeImage } from '../../src/images/descriptor.ts'
import { kinds } from '../contract.ts'
import { anyCodePoint, assertProperty } from '../support/seed.ts'

describe('The description of an image', () => {
  it('is the same text whether built by hand or by JSON.stringify', () => {
    const filename = fc.stringMatching(/^[a-zA-Z0-9_-][a-zA-Z0-9_-]{0,40}(\.[a-z]{1,4})?$/)
    const entry = fc.record({
      filename,
      etag: fc.string({ unit: anyCodePoint }),
      size: fc.integer({ min: 1 }),
      modified: fc.integer({ min: 0, max: 253_402_300_799_999 }),
    })
    assertProperty(
      fc.property(fc.constantFrom(...kinds), entry, fc.string({ unit: anyCodePoint }), (kind, found, path) => {
        const base = httpUrl.read(`https://images.test/${encodeURIComponent(path)}`)
        const choice = { kind, entry: found }
        const { text } = describeAsJson(() => String(base), choice)
        assert.equal(text, JSON.stringify(describeImage(() => String(base), choice)))
      }),
    )
  })
})
