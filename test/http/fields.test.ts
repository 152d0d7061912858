import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fieldReader } from '../../src/http/body.ts'
import { fieldErrors, fields, optional, readFields, required } from '../../src/http/fields.ts'
import { type Refusal, Refused } from '../../src/http/refusal.ts'

const refusal = (message: string): Refusal => ({ status: 400, message })
const [noName, badName, noWord, badNote] = ['no name', 'bad name', 'no word', 'bad note'].map(refusal) as [
  Refusal,
  Refusal,
  Refusal,
  Refusal,
]

const spec = fields({
  name: required(noName, { pattern: '^[a-z]+$', maxLength: 5, invalid: badName }),
  word: required(noWord),
  note: optional({ minLength: 2, invalid: badNote }),
})
const read = (body: unknown) => readFields(spec, fieldReader(body))
const refusedAs = (body: unknown, expected: Refusal) =>
  assert.throws(
    () => read(body),
    (error) => error instanceof Refused && error.refusal === expected,
  )

describe('The fields of a body', () => {
  it('are those that are declared, and no others', () => {
    assert.deepEqual(read({ name: 'ann', word: 'x', role: 'owner', banned: true }), { name: 'ann', word: 'x' })
    assert.deepEqual(read({ name: 'ann', word: 'x', note: 'ok' }), { name: 'ann', word: 'x', note: 'ok' })
  })

  for (const value of [undefined, null, '', 0, 7, true, [], ['ann'], {}, { toString: 'ann' }]) {
    it(`are absent when they are ${JSON.stringify(value)}`, () => {
      refusedAs({ name: value, word: 'x' }, noName)
      assert.deepEqual(read({ name: 'ann', word: 'x', note: value }), { name: 'ann', word: 'x' })
    })
  }

  it('are refused for absence first, in their order, then for their form', () => {
    refusedAs({}, noName)
    refusedAs({ word: 'x' }, noName)
    refusedAs({ name: 'NOT THE PATTERN' }, noWord)
    refusedAs({ name: 'NOT', word: 'x', note: '!' }, badName)
    refusedAs({ name: 'ann', word: 'x', note: '!' }, badNote)
  })

  it('are refused for any form that the schema does not allow: a line break at the end, too long, another alphabet', () => {
    for (const name of ['ann\n', 'annann', 'änn', 'аnn', 'ann\0', ' ann', 'Ann'])
      refusedAs({ name, word: 'x' }, badName)
  })

  it('never come from a prototype', () => {
    const inherited = Object.create({ name: 'ann', word: 'x' })
    refusedAs(inherited, noName)
    refusedAs(JSON.parse('{"__proto__":{"name":"ann","word":"x"}}'), noName)
    const odd = fields({ constructor: optional(), toString: optional() })
    assert.deepEqual(Object.keys(readFields(odd, fieldReader({}))), [])
  })

  it('are none in a body that is no object', () => {
    for (const body of [undefined, null, 7, 'name', true, []]) refusedAs(body, noName)
  })

  it('are read or refused, whatever JSON they come from: nothing else is thrown', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        try {
          const values = read(body)
          assert.ok(Object.values(values).every((value) => typeof value === 'string' && value !== ''))
        } catch (error) {
          assert.ok(error instanceof Refused)
        }
      }),
    )
  })

  it('declare their refusals in the order of the checks', () => {
    assert.deepEqual(fieldErrors(spec), [noName, noWord, badName, badNote])
  })
})
