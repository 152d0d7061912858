import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { md5Of } from '../../console/src/uploads/md5.ts'
import { EndCheck } from '../../src/images/end-check.ts'

it('The MD5 of a file that the console uploads is that of node:crypto, at every length around a chunk boundary', async () => {
  const bytes = randomBytes(1_200_000)
  for (const length of [0, 1, 64, 524_287, 524_288, 524_289, 1_048_576, 1_200_000]) {
    const file = new Blob([bytes.subarray(0, length)])
    assert.equal(
      await md5Of(file, new EndCheck()),
      createHash('md5').update(bytes.subarray(0, length)).digest('hex'),
      String(length),
    )
  }
})
