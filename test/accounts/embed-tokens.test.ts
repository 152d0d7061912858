import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { linkHolders } from '../../src/accounts/embed-access.ts'
import { createEmbedTokens } from '../../src/accounts/embed-tokens.ts'
import type { Call } from '../../src/http/call.ts'
import { Refused } from '../../src/http/refusal.ts'

const id = '019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3'
const secret = 'a secret that signs access tokens'

describe('The token of an embed link', () => {
  it('is read by every instance with the same secret, and by no other', () => {
    const token = createEmbedTokens(secret).of(id)
    for (const again of [1, 2]) assert.equal(createEmbedTokens(secret).read(token), id, String(again))
    assert.equal(createEmbedTokens(`${secret}.`).read(token), null)
  })

  it('costs no query if it is forged', () => {
    const embedTokens = createEmbedTokens(secret)
    const token = embedTokens.of(id)
    const dead = { status: 404, message: 'dead' }
    const { admit } = linkHolders(dead)
    const needs = {
      embedTokens,
      embedLinks: { find: () => assert.fail('looked up') },
      journal: { count: () => assert.fail('counted') },
    }
    const foreign = createEmbedTokens('another secret').of(id)
    for (const forged of [foreign, token.slice(0, -1), `${token}A`, `B${token.slice(1)}`, `${token.slice(0, -1)}+`, ''])
      assert.throws(() => admit({ params: { token: forged } } as unknown as Call, needs, null), Refused, forged)
  })
})
