import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  array,
  boolean,
  integer,
  literal,
  mismatch,
  nullable,
  number,
  object,
  oneOf,
  record,
  type Schema,
  string,
  timestamp,
} from '../../src/http/schema.ts'
import { assertProperty } from '../support/seed.ts'

const user = object({ id: string(), role: oneOf(['user', 'owner']), banned: boolean() })

const fits: [Schema, unknown][] = [
  [string(), ''],
  [string({ minLength: 2, maxLength: 3 }), 'ab'],
  [string({ pattern: '^[a-z]+$' }), 'abc'],
  [integer(), -3],
  [integer({ minimum: 1, maximum: 5 }), 5],
  [number(), 0.5],
  [boolean(), false],
  [timestamp(), '2026-06-01T12:00:00.000Z'],
  [literal(200), 200],
  [literal('up'), 'up'],
  [literal(true), true],
  [nullable(string()), null],
  [nullable(user), { id: '1', role: 'user', banned: true }],
  [array(integer()), []],
  [array(integer()), [1, 2]],
  [record(integer()), { anything: 1, __proto__x: 2 }],
  [record(integer()), JSON.parse('{"__proto__":1,"constructor":2}')],
  [user, { id: '1', role: 'owner', banned: false }],
]

const misfits: [Schema, unknown, string][] = [
  [string(), 7, 'value: expected string'],
  [string(), null, 'value: expected string'],
  [string({ minLength: 2 }), 'a', 'value: shorter than 2'],
  [string({ maxLength: 2 }), 'abc', 'value: longer than 2'],
  [string({ pattern: '^[a-z]+$' }), 'ab\n', 'value: expected ^[a-z]+$'],
  [integer(), 1.5, 'value: expected integer'],
  [integer(), '1', 'value: expected integer'],
  [integer(), 2 ** 53, 'value: expected integer'],
  [integer({ minimum: 1 }), 0, 'value: out of range'],
  [number(), Number.NaN, 'value: expected number'],
  [number(), Number.POSITIVE_INFINITY, 'value: expected number'],
  [boolean(), 'true', 'value: expected boolean'],
  [timestamp(), '2026-06-01T12:00:00Z', 'value: expected an ISO 8601 timestamp in UTC with milliseconds'],
  [timestamp(), '2026-06-01T12:00:00.000+02:00', 'value: expected an ISO 8601 timestamp in UTC with milliseconds'],
  [literal(200), 201, 'value: expected 200'],
  [oneOf(['user', 'owner']), 'User', 'value: expected one of user, owner'],
  [nullable(string()), 7, 'value: matches no alternative'],
  [array(integer()), {}, 'value: expected array'],
  [array(integer()), [1, 'x', 'y'], 'value[1]: expected integer'],
  [record(integer()), { a: 1, b: 'x' }, 'value.b: expected integer'],
  [record(integer()), [], 'value: expected object'],
  [user, { id: '1', role: 'user' }, 'value.banned: missing'],
  [user, Object.create({ id: '1', role: 'user', banned: true }), 'value.id: missing'],
  [user, { id: '1', role: 'user', banned: true, passwordHash: 'x' }, 'value.passwordHash: not declared'],
  [user, { id: '1', role: 'user', banned: true, ...JSON.parse('{"__proto__x":1}') }, 'value.__proto__x: not declared'],
  [user, null, 'value: expected object'],
  [array(user), [{ id: 1, role: 'user', banned: true }], 'value[0].id: expected string'],
]

describe('A schema', () => {
  for (const [schema, value] of fits) {
    it(`accepts ${JSON.stringify(value)}: ${JSON.stringify(schema).slice(0, 60)}`, () => {
      assert.equal(mismatch(schema, value), null)
    })
  }

  for (const [schema, value, problem] of misfits) {
    it(`reports "${problem}" for ${JSON.stringify(value)}`, () => {
      assert.equal(mismatch(schema, value), problem)
    })
  }

  it('requires every property and allows no other by default', () => {
    assert.deepEqual([user.required, user.additionalProperties], [['id', 'role', 'banned'], false])
    assert.equal(mismatch(object({ a: string() }, { required: [], additionalProperties: true }), { b: 1 }), null)
  })

  it('checks any value without throwing', () => {
    const schemas = [...fits, ...misfits].map(([schema]) => schema)
    assertProperty(
      fc.property(fc.constantFrom(...schemas), fc.anything(), (schema, value) => {
        const problem = mismatch(schema, value)
        assert.ok(problem === null || problem.startsWith('value'))
      }),
    )
  })

  it('accepts every value generated from it', () => {
    const made = fc.record({ id: fc.string(), role: fc.constantFrom('user', 'owner'), banned: fc.boolean() })
    assertProperty(fc.property(fc.array(made), (list) => mismatch(array(user), list) === null))
  })
})
