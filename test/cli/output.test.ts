import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { pageSize, writeList } from '../../src/cli/list.ts'
import { createOutput } from '../../src/cli/output.ts'

const heading = ['NAME', 'LAST SEEN']
const wide = [
  ['backup', 'x'.repeat(80)],
  ['db', '-'],
]

describe('A list of the tool', () => {
  const printed = async (screen: { isTTY: boolean; columns?: number }, pages: readonly (readonly string[][])[]) => {
    const stdout = Object.assign(new PassThrough(), screen)
    const all = text(stdout)
    const out = createOutput(stdout, new PassThrough(), false)
    const items = (async function* () {
      yield* pages
    })()
    await writeList(out, { name: 'things', pages: items, heading, rowOf: (row) => row, shown: () => ({}) })
    stdout.end()
    return all
  }
  const inColumns = `NAME    LAST SEEN\nbackup  ${'x'.repeat(80)}\ndb      -\n`

  it('has columns where nobody looks, and on a terminal that is wide enough', async () => {
    assert.equal(await printed({ isTTY: false }, [wide]), inColumns)
    assert.equal(await printed({ isTTY: true, columns: 88 }, [wide]), inColumns)
  })

  it('has a line for each field on a terminal that is too narrow, over all of its pages', async () => {
    const inLines = `NAME       backup\nLAST SEEN  ${'x'.repeat(80)}\n\nNAME       db\nLAST SEEN  -\n`
    assert.equal(await printed({ isTTY: true, columns: 87 }, [wide]), inLines)
    assert.equal(await printed({ isTTY: true }, [wide]), inLines)
    const many = Array.from({ length: pageSize }, () => wide[0] as string[])
    const both = await printed({ isTTY: true, columns: 80 }, [many, wide])
    assert.equal(both.split('\n\n').length, pageSize + 2)
    assert.ok(both.endsWith(`\n\n${inLines}`))
  })
})
