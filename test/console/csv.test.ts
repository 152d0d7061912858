import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvOf } from '../../console/src/parts/csv.ts'

test('a CSV file quotes what would end a cell, and holds nothing that a spreadsheet would run', () => {
  const rows = [
    ['a', 'b,c', 'say "no"', 'two\nlines', null, true, -1],
    ['=1+1', '+1', '-1', '@x', '\tx', 'x=1', "'"],
  ]
  assert.deepEqual(csvOf(rows).split('\r\n'), [
    'a,"b,c","say ""no""","two\nlines",,true,-1',
    "'=1+1,'+1,'-1,'@x,'\tx,x=1,'",
    '',
  ])
})
