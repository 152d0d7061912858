import assert from 'node:assert/strict'
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { diskOf } from '../../src/api/disk.ts'
import { testFolder } from '../support/test-folder.ts'

describe('The disk of a folder', () => {
  it('has the size of its file system, and is null where there is no folder', async () => {
    const folder = testFolder()
    const { blocks, bsize } = statfsSync(folder)
    assert.equal((await diskOf(folder))?.totalBytes, blocks * bsize)
    assert.equal(await diskOf(join(folder, 'none')), null)
  })
})
