import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chooseCoding } from '../../src/http/content-coding.ts'

describe('The content coding', () => {
  for (const [header, coding] of [
    [undefined, 'identity'],
    ['', 'identity'],
    ['identity', 'identity'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, br;q=0.9', 'gzip'],
    ['gzip;q=0.5', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['gzip ; Q=0.5 , br ; q=0.4', 'gzip'],
    ['gzip;q=0', 'identity'],
    ['br;q=0, gzip;q=0.000', 'identity'],
    ['identity;q=1, gzip;q=0.5', 'identity'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip, *;q=0', 'gzip'],
    ['identity, *;q=0', 'identity'],
    ['identity;q=0, gzip', 'gzip'],
    ['identity;q=0', 'gzip'],
    ['identity;q=0, deflate', 'gzip'],
    ['*;q=0', 'identity'],
    ['deflate, zstd', 'identity'],
    ['gzip;q=2', 'identity'],
    ['gzip;q=', 'identity'],
    ['gzip;level=9', 'identity'],
    [';;,,gzip', 'gzip'],
    [', '.repeat(4000), 'identity'],
  ] as const)
    it(`for ${JSON.stringify(header?.slice(0, 40))} is ${coding}`, () => {
      assert.equal(chooseCoding(header), coding)
    })
})
