import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createEmbedTokens } from '../../src/accounts/embed-tokens.ts'
import { makeSecret } from '../../src/accounts/key-secret.ts'
import { withoutSecrets } from '../../src/accounts/secrets-in-paths.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createIds } from '../../src/lib/ids.ts'

describe('Paths in the log', () => {
  const token = createEmbedTokens('s'.repeat(32)).of(createIds(systemClock)())
  const key = makeSecret()

  it('show no API key and no token of an embed link, wherever and however it stands', () => {
    for (const [path, shown] of [
      [`/i/fox/${key}`, '/i/fox/mng_***'],
      [`/i/fox/${key.slice(0, 9)}.png`, '/i/fox/mng_***.png'],
      [`/auth/keys/mng%5f${key.slice(4)}`, '/auth/keys/mng_***'],
      [`/i/fox/${token}`, '/i/fox/:token'],
      [`/${token}/${key}`, '/:token/mng_***'],
      [`/images/%41${token.slice(1)}`, '/images/:token'],
      [`/zoo/acknowledge/${token.slice(1)}`, '/zoo/acknowledge/:token'],
      [`/%61cknowledge%2f${token.slice(1)}`, '/acknowledge/:token'],
      [`/%e/e/${token.slice(9)}`, '/%e/e/:token'],
    ] as const)
      assert.equal(withoutSecrets(path), shown)
  })

  it('are unchanged without one', () => {
    for (const path of [
      '/i/fox/a.png',
      `/i/fox/${'a'.repeat(64)}.jpeg`,
      `/i/${'AQ'.repeat(23)}`,
      '/images/%66ox',
      '/%',
    ])
      assert.equal(withoutSecrets(path), path)
  })
})
