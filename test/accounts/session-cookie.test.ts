import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  hashOfSessionSecret,
  isSameOrigin,
  isSecureOrigin,
  makeSessionSecret,
  noSessionCookie,
  readSessionCookie,
  sessionCookie,
} from '../../src/accounts/session-cookie.ts'

const secret = `${'a'.repeat(41)}-_`
const hash = createHash('sha256').update(secret).digest('base64url')
const cookie = `menagerie_session=${secret}`
const own = { 'sec-fetch-site': 'same-origin', host: 'zoo.example' }
const base = 'https://zoo.example'

describe('The secret of a session', () => {
  it('is 32 random bytes, of which only the SHA-256 is kept', () => {
    const [one, other] = [makeSessionSecret(), makeSessionSecret()]
    assert.notEqual(one, other)
    for (const each of [one, other]) assert.equal(Buffer.from(each, 'base64url').toString('base64url'), each)
    assert.equal(Buffer.from(one, 'base64url').length, 32)
    assert.equal(hashOfSessionSecret(secret), hash)
  })

  it('is a cookie that scripts and other sites cannot use, for 30 days, and over https only there', () => {
    const attributes = 'Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict'
    assert.deepEqual(sessionCookie(secret, false), { 'Set-Cookie': `menagerie_session=${secret}; ${attributes}` })
    assert.deepEqual(sessionCookie(secret, true), {
      'Set-Cookie': `menagerie_session=${secret}; ${attributes}; Secure`,
    })
    assert.deepEqual(noSessionCookie, {
      'Set-Cookie': 'menagerie_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict',
    })
  })
})

describe('A request', () => {
  it('is of this origin by Sec-Fetch-Site, or without it by the header that no other site can send', () => {
    const headers = { host: 'zoo.example' }
    assert.equal(isSameOrigin({ ...headers, 'sec-fetch-site': 'same-origin' }, null), true)
    assert.equal(isSameOrigin({ ...headers, 'x-menagerie-console': '1' }, null), true)
    for (const site of ['cross-site', 'same-site', 'none', ''])
      assert.equal(isSameOrigin({ ...headers, 'sec-fetch-site': site, 'x-menagerie-console': '1' }, null), false, site)
    for (const mark of [undefined, '', '0', '11'])
      assert.equal(isSameOrigin({ ...headers, 'x-menagerie-console': mark }, null), false, String(mark))
  })

  it('has the origin of its Host, by http or https, or that of BASE_URL, or none', () => {
    const of = (origin: string | undefined, host: string | undefined, baseOrigin: string | null = null) =>
      isSameOrigin({ 'sec-fetch-site': 'same-origin', origin, host }, baseOrigin)
    for (const origin of [undefined, 'http://zoo.example', 'https://zoo.example'])
      assert.equal(of(origin, 'zoo.example'), true, String(origin))
    assert.equal(of('http://zoo.example:3000', 'zoo.example:3000'), true)
    assert.equal(of(base, '127.0.0.1:3000', base), true)
    for (const origin of ['null', '', 'http://other.example', 'ftp://zoo.example', 'http://zoo.example:81'])
      assert.equal(of(origin, 'zoo.example'), false, origin)
    assert.equal(of(base, '127.0.0.1:3000'), false)
    assert.equal(of('http://zoo.example', '127.0.0.1:3000', base), false)
    assert.equal(of('http://zoo.example', undefined), false)
  })

  it('signs in over https if its page or BASE_URL says so', () => {
    assert.equal(isSecureOrigin({ origin: base }, null), true)
    assert.equal(isSecureOrigin({ origin: 'http://zoo.example' }, base), true)
    assert.equal(isSecureOrigin({}, base), true)
    for (const origin of [undefined, 'http://zoo.example', 'http://https:'])
      for (const given of [null, 'http://zoo.example', 'http://https:'])
        assert.equal(isSecureOrigin({ origin }, given), false, String(origin))
  })
})

describe('The cookie of a session', () => {
  it('is found among others, with or without spaces', () => {
    for (const sent of [cookie, `a=b; ${cookie}`, `${cookie};c=d`, `a=b;${cookie} ; c`, `${cookie}; ${cookie}`])
      assert.equal(readSessionCookie({ ...own, cookie: sent }, null), hash, sent)
  })

  it('does not count if there is none, or two that differ', () => {
    const other = `menagerie_session=${'b'.repeat(43)}`
    const named = [`x${cookie}`, `menagerie_session2=${secret}`, `a=${cookie}`, `menagerie_sessio=${secret}`]
    for (const sent of [undefined, '', 'a=b', ...named, `${cookie}; ${other}`, `${other}; ${cookie}`])
      assert.equal(readSessionCookie({ ...own, cookie: sent }, null), null, String(sent))
  })

  it('does not count if it is no secret', () => {
    for (const value of [
      '',
      secret.slice(1),
      `${secret}a`,
      `${secret.slice(1)}+`,
      `+${secret.slice(1)}`,
      `"${secret}"`,
    ])
      assert.equal(readSessionCookie({ ...own, cookie: `menagerie_session=${value}` }, null), null, value)
  })

  it('does not count beside another credential, or in a request from elsewhere', () => {
    for (const more of [
      { authorization: '' },
      { 'x-api-key': '' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: base },
    ])
      assert.equal(readSessionCookie({ ...own, host: '127.0.0.1', cookie, ...more }, null), null, JSON.stringify(more))
    assert.equal(readSessionCookie({ ...own, host: '127.0.0.1', cookie, origin: base }, base), hash)
  })
})
