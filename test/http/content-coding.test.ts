import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chooseCoding } from '../../src/http/content-coding.ts'

describe('The content coding', () => {
  const headers = {
    identity: [
      undefined,
      '',
      'identity',
      'gzip;q=0',
      'br;q=0, gzip;q=0.000',
      'identity;q=1, gzip;q=0.5',
      'identity, *;q=0',
      '*;q=0',
      'deflate, zstd',
      'gzip;q=2',
      'gzip;q=',
      'gzip;level=9',
      ', '.repeat(4000),
    ],
    gzip: [
      'gzip',
      'x-gzip',
      'GZIP',
      'gzip, br;q=0.9',
      'gzip;q=0.5',
      'gzip;q=0.001',
      'gzip ; Q=0.5 , br ; q=0.4',
      'identity;q=0.5, gzip;q=0.5',
      'br;q=0, *',
      'gzip, *;q=0',
      'identity;q=0, gzip',
      'identity;q=0',
      'identity;q=0, deflate',
      ';;,,gzip',
    ],
    br: ['br', 'gzip, deflate, br, zstd', '*'],
  }
  for (const [coding, each] of Object.entries(headers))
    for (const header of each)
      it(`for ${JSON.stringify(header?.slice(0, 40))} is ${coding}`, () => {
        assert.equal(chooseCoding(header), coding)
      })
})
