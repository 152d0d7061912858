import assert from 'node:assert/strict'
import { createHmac, hkdfSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { type Embedded, linkHolders } from '../../src/accounts/embed-access.ts'
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

  it('is a version, the id of the link and 16 bytes of a MAC, whose key is derived from the secret', () => {
    const token = createEmbedTokens(secret).of(id)
    const bytes = Buffer.from(token, 'base64url')
    assert.deepEqual([token.length, bytes.length, bytes[0]], [44, 33, 1])
    assert.equal(bytes.toString('hex', 1, 17), id.replaceAll('-', ''))
    const key = Buffer.from(hkdfSync('sha256', secret, '', 'menagerie embed link', 32))
    const mac = createHmac('sha256', key).update(bytes.subarray(0, 17)).digest().subarray(0, 16)
    assert.deepEqual(bytes.subarray(17), mac)
    // Of another version, though signed.
    const body = Buffer.concat([Buffer.of(2), bytes.subarray(1, 17)])
    const other = Buffer.concat([body, createHmac('sha256', key).update(body).digest().subarray(0, 16)])
    assert.equal(createEmbedTokens(secret).read(other.toString('base64url')), null)
  })

  it('is refused if any of its characters is another', () => {
    const { of, read } = createEmbedTokens(secret)
    const token = of(id)
    for (let at = 0; at < token.length; at++) {
      const changed = token[at] === 'A' ? 'B' : 'A'
      assert.equal(read(token.slice(0, at) + changed + token.slice(at + 1)), null, String(at))
    }
    for (const wrong of [`A${token}`, `${token}AAAA`, token.slice(4), ` ${token}`, `${token}\n`, '%', '=='])
      assert.equal(read(wrong), null, wrong)
    assert.deepEqual([read(token), read(token)], [id, id])
  })

  it('admits whoever has it, and counts the request for the user of the link', () => {
    const embedTokens = createEmbedTokens(secret)
    const counted: unknown[] = []
    const link = { id, userId: 'u', kinds: ['fox'], isRepeating: true }
    const needs = {
      embedTokens,
      embedLinks: { find: (given: string) => (given === id ? link : null) },
      journal: { count: (...all: unknown[]) => counted.push(all) },
    } as unknown as Embedded
    const { admit, errors, label } = linkHolders({ status: 404, message: 'dead' })
    assert.deepEqual([errors, label], [[], 'everybody who has the URL'])
    const call = { params: { token: embedTokens.of(id) }, route: { counts: 'images' } } as unknown as Call
    assert.equal(admit(call, needs, null), link)
    assert.deepEqual(counted, [['u', 'images', { type: 'link', id }]])
    const [gone] = [embedTokens.of('019a2f6e-3c41-7d02-9b5e-000000000000')]
    assert.throws(() => admit({ params: { token: gone } } as unknown as Call, needs, null), Refused)
    assert.throws(() => admit({ params: {} } as unknown as Call, needs, null), Refused)
    assert.equal(counted.length, 1)
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
