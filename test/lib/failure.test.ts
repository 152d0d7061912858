import assert from 'node:assert/strict'
import { it } from 'node:test'
import { messageOf } from '../../src/lib/failure.ts'

it('The message of an AggregateError is that of the first attempt, or else its code', () => {
  const coded = (message: string, code?: string) => Object.assign(new Error(message), code && { code })
  const refused = new AggregateError([coded('connect ECONNREFUSED ::1:1'), coded('connect ECONNREFUSED 127.0.0.1:1')])
  assert.equal(messageOf(refused), 'connect ECONNREFUSED ::1:1')
  assert.equal(messageOf(coded('broken', 'E1')), 'broken')
  assert.equal(messageOf(Object.assign(new AggregateError([coded('')]), { code: 'ETIMEDOUT' })), 'ETIMEDOUT')
  for (const nothing of [coded(''), null, undefined, 'text', {}]) assert.equal(messageOf(nothing), 'no reason given')
})
