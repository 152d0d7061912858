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
      ['/e/a', '/e/:token'],
      ['/E/a', '/e/:token'],
      ['/zoo/%65/a/b', '/zoo/e/:token'],
      ['/zoo%2Fe%2fa', '/zoo/e/:token'],
      ['/zoo%2fe/a', '/zoo/e/:token'],
      ['/%/e%2Fa', '/%/e/:token'],
      ['/%2%65/%65/a', '/%2%65/e/:token'],
      ['/a%2fACKNOWLEDGE/b', '/a/acknowledge/:token'],
      [`/%/acknowledge%2f${token.slice(1)}`, '/%/acknowledge/:token'],
      [`/%%2facknowledge/${token.slice(1)}`, '/%/acknowledge/:token'],
      ['/mng_a.mng_b', '/mng_***.mng_***'],
      [`/x.${token}.${token}`, '/x.:token.:token'],
      [`/${'f'.repeat(44)}/A${'Q'.repeat(43)}`, `/${'f'.repeat(44)}/:token`],
    ] as const)
      assert.equal(withoutSecrets(path), shown)
  })

  it('are unchanged without one', () => {
    for (const path of [
      '/i/fox/a.png',
      `/i/fox/${'a'.repeat(64)}.jpeg`,
      `/i/${'AQ'.repeat(23)}`,
      '/images/%66ox',
      '/e',
      '/e/',
      '/ee/a',
      '/a/be/c',
      '/acknowledge',
      `/xacknowledge/${'a'.repeat(44)}`,
      'mng_',
      `/A${'Q'.repeat(42)}`,
      `/A${'Q'.repeat(44)}`,
      `/B${'Q'.repeat(43)}`,
      `/A${'g'.repeat(43)}`,
      `/-A${'Q'.repeat(43)}`,
      `/A${'Q'.repeat(43)}-`,
      '/a%20b',
      '/%',
    ])
      assert.equal(withoutSecrets(path), path)
  })
})
