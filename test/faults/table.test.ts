import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Outcome } from '../support/outcomes.ts'
import type { Row } from './table/row.ts'
import { rows } from './table.ts'
import { printVerdicts, verdictOf } from './verdict.ts'

const root = join(import.meta.dirname, '../..')

/** Titles as they are written: the fixed parts of each, between which there are values. */
const titlesIn = (source: string) =>
  [...source.matchAll(/\b(?:it|itInFull|itInLongest|test)\(\s*(?:`([^`]*)`|'((?:[^'\\]|\\.)*)'|"([^"]*)"|\w+,)/g)].map(
    ([, template, single, double]) => {
      const whole = single?.replaceAll("\\'", "'") ?? double
      // A variable is a value alone.
      return whole === undefined ? (template?.split(/\$\{[^}]*\}/) ?? ['', '']) : [whole]
    },
  )

/** Whether a title of these parts may begin so, with values that the source has. */
function mayBegin(source: string, [head = '', next, ...others]: readonly string[], start: string): boolean {
  if (head.startsWith(start)) return true
  if (next === undefined || !start.startsWith(head)) return false
  const rest = start.slice(head.length)
  const end = next === '' ? -1 : rest.indexOf(next)
  if (end > 0) return source.includes(rest.slice(0, end)) && mayBegin(source, [next, ...others], rest.slice(end))
  return Array.from(rest, (_, index) => index + 1).some(
    (length) => source.includes(rest.slice(0, length)) && next.startsWith(rest.slice(length)),
  )
}

describe('The table of faults', () => {
  it('has every fault from F01 to F36 once', () => {
    const ids = rows.map(({ id }) => id)
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    )
    const numbered = Array.from({ length: 36 }, (_, index) => `F${String(index + 1).padStart(2, '0')}`)
    numbered.splice(27, 0, 'F27b', 'F27c')
    assert.deepEqual(
      ids.filter((id) => id.startsWith('F')),
      numbered,
    )
  })

  it('names a proof for each, or says that there is none, and names nothing twice', () => {
    for (const { id, proofs, open } of rows) {
      assert.ok(open !== undefined || Object.keys(proofs).length > 0, id)
      for (const titles of Object.values(proofs))
        assert.deepEqual([titles.length > 0, titles.length], [true, new Set(titles).size], id)
    }
  })

  it('names tests that exist, by file and title', () => {
    const missing = rows.flatMap(({ id, proofs }) =>
      Object.entries(proofs).flatMap(([file, titles]) => {
        if (!existsSync(join(root, file))) return [`${id}: ${file}`]
        const source = readFileSync(join(root, file), 'utf8')
        const written = titlesIn(source)
        const isWritten = (title: string) => written.some((parts) => mayBegin(source, parts, title))
        return titles.filter((title) => !isWritten(title)).map((title) => `${id}: ${file}: ${title}`)
      }),
    )
    assert.deepEqual(missing, [])
  })
})

describe('The verdict on a row', () => {
  const row: Row = {
    id: 'F01',
    fault: 'A fault',
    promise: '',
    on: ['cluster'],
    proofs: { 'a.test.ts': ['one', 'two'] },
  }
  const test = (title: string, result: Outcome['result'], reason = ''): Outcome => ({
    file: 'a.test.ts',
    title,
    result,
    reason,
    isSuite: false,
  })
  const suite = (reason: string): Outcome => ({ ...test('a suite', 'skipped', reason), isSuite: true })
  const line = (...outcomes: Outcome[]) => printVerdicts([[row, verdictOf(row, outcomes)]])

  it('is that it holds if each title has a test, and all of them passed', () => {
    assert.equal(line(test('one', 'passed'), test('two: 7', 'passed')), 'F01   A fault: holds (2 tests)\n')
  })

  it('is that it failed if a test failed, or none has the title', () => {
    const failed = line(test('one', 'passed'), test('two', 'passed'), test('two', 'failed'))
    assert.equal(failed, 'F01   A fault: FAILED (2 tests passed)\n      failed: a.test.ts: two\n')
    assert.match(
      line(test('one', 'passed'), { ...test('two', 'passed'), file: 'b' }),
      /no such test ran: a.test.ts: two/,
    )
  })

  it('is that it is not shown, with the reason, if its tests or their suites were skipped, wholly or in part', () => {
    assert.equal(line(suite('no PostgreSQL')), 'F01   A fault: not shown here: no PostgreSQL\n')
    assert.equal(
      line(test('one', 'passed'), test('two', 'skipped', 'no strace')),
      'F01   A fault: holds (1 test; in part not shown here: no strace)\n',
    )
  })
})
