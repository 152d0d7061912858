import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  choice,
  fieldErrors,
  fields,
  flag,
  optional,
  parsed,
  readFields,
  required,
  requiredChoice,
  wholeNumber,
} from '../../src/http/fields.ts'
import { fieldReader } from '../../src/http/json-body.ts'
import { type Refusal, Refused } from '../../src/http/refusal.ts'
import { assertProperty } from '../support/seed.ts'

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
  it('are the declared ones, and no others', () => {
    assert.deepEqual(read({ name: 'ann', word: 'x', role: 'owner', banned: true }), { name: 'ann', word: 'x' })
    assert.deepEqual(read({ name: 'ann', word: 'x', note: 'ok' }), { name: 'ann', word: 'x', note: 'ok' })
  })

  for (const value of [undefined, null, '', 0, 7, true, [], ['ann'], {}, { toString: 'ann' }]) {
    it(`are absent when they are ${JSON.stringify(value)}`, () => {
      refusedAs({ name: value, word: 'x' }, noName)
      assert.deepEqual(read({ name: 'ann', word: 'x', note: value }), { name: 'ann', word: 'x' })
    })
  }

  it('are checked in order, first for presence, then for their form', () => {
    refusedAs({}, noName)
    refusedAs({ word: 'x' }, noName)
    refusedAs({ name: 'NOT THE PATTERN' }, noWord)
    refusedAs({ name: 'NOT', word: 'x', note: '!' }, badName)
    refusedAs({ name: 'ann', word: 'x', note: '!' }, badNote)
  })

  it('are refused if the schema does not allow them: a trailing line break, too long, another alphabet', () => {
    for (const name of ['ann\n', 'annann', 'änn', 'аnn', 'ann\0', ' ann', 'Ann'])
      refusedAs({ name, word: 'x' }, badName)
  })

  it('are never inherited from a prototype', () => {
    const inherited = Object.create({ name: 'ann', word: 'x' })
    refusedAs(inherited, noName)
    refusedAs(JSON.parse('{"__proto__":{"name":"ann","word":"x"}}'), noName)
    const odd = fields({ constructor: optional(), toString: optional() })
    assert.deepEqual(Object.keys(readFields(odd, fieldReader({}))), [])
  })

  it('are absent from a body that is not an object', () => {
    for (const body of [undefined, null, 7, 'name', true, []]) refusedAs(body, noName)
  })

  it('are read or refused for any JSON: nothing else is thrown', () => {
    assertProperty(
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

/** How one field reads a value: the value it passes on, `absent`, or the text of its refusal. */
const outcome = (field: Parameters<typeof fields>[0][string], value: unknown): unknown => {
  try {
    const values: Record<string, unknown> = readFields(fields({ it: field }), fieldReader({ it: value }))
    return Object.hasOwn(values, 'it') ? values.it : 'absent'
  } catch (error) {
    assert.ok(error instanceof Refused)
    return error.refusal.message
  }
}

const assertOutcomes = (field: Parameters<typeof fields>[0][string], cases: readonly (readonly [unknown, unknown])[]) =>
  assert.deepEqual(
    cases.map(([value]) => [value, outcome(field, value)]),
    cases,
  )

const none = [undefined, null, '']
const notTexts: readonly unknown[] = [0, 7, true, false, [], ['red'], {}, { toString: 'red' }]
const wrong = refusal('wrong')

describe('A field with a choice', () => {
  const colours = ['red', 'green'] as const
  const others = ['Red', ' red', 'red ', 'red,green', 'toString', '__proto__', '0']

  it('accepts only the exact values', () => {
    assertOutcomes(choice(colours, wrong), [
      ['red', 'red'],
      ['green', 'green'],
      ...others.map((it) => [it, 'wrong'] as const),
    ])
  })

  it('is absent if it is not a string or empty', () => {
    assertOutcomes(
      choice(colours, wrong),
      [...none, ...notTexts].map((it) => [it, 'absent']),
    )
  })

  it('that is required distinguishes absence from an invalid value', () => {
    const colour = requiredChoice(colours, refusal('missing'), wrong)
    assertOutcomes(colour, [
      ['green', 'green'],
      ...others.map((it) => [it, 'wrong'] as const),
      ...[...none, ...notTexts].map((it) => [it, 'missing'] as const),
    ])
  })
})

describe('A flag', () => {
  it('accepts exactly true, 1 and yes, false, 0 and no', () => {
    assertOutcomes(flag(wrong), [
      ['true', true],
      ['1', true],
      ['yes', true],
      ['false', false],
      ['0', false],
      ['no', false],
      ...['True', 'FALSE', '01', '2', 'on', 'y', ' true', 'true\n', 'null'].map((it) => [it, 'wrong'] as const),
    ])
  })

  it('without a value is invalid, not false', () => {
    assertOutcomes(flag(wrong), [
      ['', 'wrong'],
      [undefined, 'absent'],
      [null, 'absent'],
    ])
  })
})

describe('A whole number', () => {
  const amount = wholeNumber(wrong, { minimum: 1, maximum: 500 })

  it('consists of digits and lies within its bounds', () => {
    assertOutcomes(amount, [
      ['1', 1],
      ['05', 5],
      ['500', 500],
      ...[
        ...['0', '501', '-1', '1.5', '1.0', '1e2', '1e3', '0x10', ' 5', '5 ', '+5', '5\n', '1_0', '٥', 'abc'],
        ...['Infinity', 'NaN'],
      ].map((it) => [it, 'wrong'] as const),
      ['9'.repeat(15), 'wrong'],
      ['0'.repeat(400), 'wrong'],
    ])
  })

  it('is absent if it is not a string, even a number', () => {
    assertOutcomes(
      amount,
      [...none, 5, true, ['5'], {}].map((it) => [it, 'absent']),
    )
  })
})

describe('A converted field', () => {
  const read = (text: string) => (/^[a-z]+$/.test(text) ? text.length : undefined)

  it('has the converted value, 0 and false too, or is refused', () => {
    assertOutcomes(parsed(read, { invalid: wrong }), [
      ['abc', 3],
      ['ABC', 'wrong'],
      ['', 'absent'],
      [7, 'absent'],
    ])
    assert.equal(
      outcome(
        parsed(() => 0, { invalid: wrong }),
        'nought',
      ),
      0,
    )
    assert.equal(
      outcome(
        parsed(() => false, { invalid: wrong }),
        'no',
      ),
      false,
    )
  })

  it('that must not be ignored is refused if it is not a string, and is absent only if it was not sent', () => {
    for (const field of [
      parsed(read, { invalid: wrong, isStrict: true }),
      optional({ invalid: wrong, isStrict: true }),
    ])
      assertOutcomes(field, [
        ...notTexts.map((it) => [it, 'wrong'] as const),
        ...none.map((it) => [it, 'absent'] as const),
      ])
  })
})

describe('Fields of which at least one is required', () => {
  const [neither, noColour, badColour, badSize] = ['neither', 'no colour', 'bad colour', 'bad size'].map(refusal) as [
    Refusal,
    Refusal,
    Refusal,
    Refusal,
  ]
  const either = { names: ['id', 'name'], absent: neither }
  const spec = fields(
    {
      size: wholeNumber(badSize, { minimum: 1, maximum: 9 }),
      id: optional(),
      colour: requiredChoice(['red'], noColour, badColour),
      name: optional(),
    },
    either,
  )
  const answer = (body: object) => {
    try {
      return readFields(spec, fieldReader(body))
    } catch (error) {
      return (error as Refused).refusal
    }
  }

  it('are checked for presence before anything else', () => {
    for (const body of [{}, { size: 'x' }, { colour: 'red' }, { id: '', name: 7 }, { id: null, name: [] }])
      assert.equal(answer(body), neither)
    assert.equal(answer({ name: 'ann', size: 'x' }), noColour)
    assert.equal(answer({ name: 'ann', size: 'x', colour: 'blue' }), badSize)
    assert.equal(answer({ name: 'ann', colour: 'blue' }), badColour)
  })

  it('are all passed on if there are several', () => {
    assert.deepEqual(answer({ id: '1', colour: 'red' }), { id: '1', colour: 'red' })
    assert.deepEqual(answer({ name: 'ann', id: '1', colour: 'red' }), { id: '1', colour: 'red', name: 'ann' })
  })

  it('are declared first, then the optional ones, then invalid forms', () => {
    assert.deepEqual(fieldErrors(spec), [neither, noColour, badSize, badColour])
  })
})
