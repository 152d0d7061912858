import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { browserNameOf } from '../../src/accounts/browser-name.ts'
import { pathOf, withEmbeds } from '../images/embed-stage.ts'
import { breakableUsers } from '../support/broken-users.ts'
import { consoleBrowser, cookieOf, sameOrigin } from '../support/console-browser.ts'
import { answerOf, refused } from '../support/people.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const [sqlite = assert.fail()] = stores
const required = refused(401, 'Access token is required')
const invalid = refused(401, 'Invalid or revoked access token')
const otherSite = [
  403,
  {
    error:
      'This request was not sent by the console of this service; if it was, let the proxy pass the Host on, or set BASE_URL',
  },
]
const elsewhere = 'https://elsewhere.example'

describe('The cookie of a console session', () => {
  const { stage, create } = withEmbeds(sqlite, { env: { CORS_ORIGINS: '*' } })
  let cookie: string
  let own: string
  before(async () => {
    const browser = consoleBrowser(stage.one)
    await browser.signIn(stage.person.username)
    cookie = browser.cookie
    own = stage.one.url
  })
  const ask = (headers: Record<string, string>, method = 'GET', path = '/auth/me', body?: unknown) =>
    stage.one.request(method, path, { headers: { cookie, ...headers }, body })
  const byHand = { 'x-menagerie-console': '1' }

  it('counts for requests of this origin: by Sec-Fetch-Site, or else by a header that no other site can send', async () => {
    for (const headers of [
      sameOrigin,
      byHand,
      { ...sameOrigin, ...byHand, origin: own },
      { ...byHand, origin: own },
      { ...byHand, origin: own.replace('http:', 'https:') },
    ])
      assert.equal((await ask(headers)).status, 200, JSON.stringify(headers))
    for (const headers of [
      {},
      ...['cross-site', 'same-site', 'none', '', 'same-origin, same-origin', 'SAME-ORIGIN'].map((site) => ({
        'sec-fetch-site': site,
        ...byHand,
      })),
      ...['', '0', 'true', '1, 1'].map((value) => ({ 'x-menagerie-console': value })),
      ...[sameOrigin, byHand].flatMap((by) =>
        [elsewhere, 'null', '', `${own}.example`, own.replace(/\d+$/, '1'), `${own}/`].map((origin) => ({
          ...by,
          origin,
        })),
      ),
      { ...sameOrigin, authorization: '' },
      { ...sameOrigin, 'x-api-key': '' },
    ])
      assert.deepEqual(answerOf(await ask(headers)), required, JSON.stringify(headers))
  })

  it('is nothing beside another credential, whether that is valid or not', async () => {
    const { accessToken } = stage.person
    const stranger = await stage.one.register('stranger')
    for (const [authorization, expected] of [
      [stranger.accessToken, 'stranger'],
      ['Bearer x', null],
      ['Basic YTpi', null],
    ] as const) {
      const reply = await ask({ ...sameOrigin, authorization })
      assert.equal(reply.body.user?.username ?? null, expected)
    }
    assert.deepEqual(answerOf(await ask({ ...sameOrigin, 'x-api-key': 'x' })), invalid)
    await ask({ ...sameOrigin, authorization: accessToken }, 'DELETE', '/console/session')
    assert.equal((await ask(sameOrigin)).status, 200)
  })

  it('is nothing on /i, /e, /auth/login and /auth/register, and a token or key in it is nothing', async () => {
    const link = await create({ kind: 'fox' })
    const used = async () => (await ask(sameOrigin, 'GET', '/auth/sessions')).body.sessions[0].lastUsedAt
    const before = await used()
    assert.equal((await ask(sameOrigin, 'GET', '/i/fox/a.png')).status, 200)
    assert.equal((await ask(sameOrigin, 'GET', pathOf(link))).status, 200)
    const wrong = { username: stage.person.username, password: 'wrong password' }
    for (const path of ['/auth/login', '/auth/register'])
      assert.ok([401, 409].includes((await ask(sameOrigin, 'POST', path, wrong)).status))
    assert.equal(await used(), before)
    const key = (await ask(sameOrigin, 'POST', '/auth/keys', { name: 'x', scopes: ['images'] })).body.key
    const { accessToken } = stage.person
    for (const value of [key, accessToken, accessToken.slice(7), encodeURIComponent(accessToken)])
      for (const name of ['menagerie_session', 'Authorization', 'accessToken', 'X-API-Key'])
        assert.deepEqual(answerOf(await ask({ ...sameOrigin, cookie: `${name}=${value}` })), required)
  })

  it('is nothing if it is forged, shortened, doubled with another value, or under another name', async () => {
    const secret = cookie.slice(cookie.indexOf('=') + 1)
    const other = `${secret[0] === 'A' ? 'B' : 'A'}${secret.slice(1)}`
    for (const odd of [
      ...['', secret.slice(1), `${secret}A`, other, `"${secret}"`, secret.toLowerCase(), `${secret},${secret}`].map(
        (value) => `menagerie_session=${value}`,
      ),
      `${cookie}; menagerie_session=${other}`,
      `menagerie_session=${other}; ${cookie}`,
      `Menagerie_session=${secret}`,
      `xmenagerie_session=${secret}`,
      `menagerie_session =${secret}`,
    ])
      assert.deepEqual(answerOf(await ask({ ...sameOrigin, cookie: odd })), required, odd)
    for (const padded of [`a=b; ${cookie}; c=d`, `a=b;${cookie};c=d`, `${cookie}; ${cookie}`])
      assert.equal((await ask({ ...sameOrigin, cookie: padded })).status, 200, padded)
  })

  it('is set and ended by no other site, nor read by one, whatever CORS_ORIGINS says', async () => {
    const body = { username: stage.person.username, password }
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { ...sameOrigin, origin: elsewhere }])
      for (const [method, sent] of [
        ['POST', body],
        ['DELETE', undefined],
      ] as const) {
        const reply = await ask(headers as Record<string, string>, method, '/console/session', sent)
        assert.deepEqual([...answerOf(reply), reply.headers.has('set-cookie')], [...otherSite, false])
      }
    const preflight = await ask(
      {
        origin: elsewhere,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-menagerie-console',
      },
      'OPTIONS',
    )
    const allowed = (name: string) => preflight.headers.get(`access-control-allow-${name}`)
    assert.deepEqual([preflight.status, allowed('origin'), allowed('credentials')], [204, '*', null])
    assert.ok(!allowed('headers')?.toLowerCase().includes('x-menagerie-console'))
    const plain = await ask({ ...sameOrigin, origin: own })
    assert.equal(plain.headers.get('access-control-allow-credentials'), null)
  })

  it('is never one that the browser brought: a sign-in always makes a new one', async () => {
    const planted = `menagerie_session=${'A'.repeat(43)}`
    const body = { username: stage.person.username, password }
    for (const sent of [planted, cookie]) {
      const reply = await ask({ ...sameOrigin, cookie: sent }, 'POST', '/console/session', body)
      assert.equal(reply.status, 200)
      assert.notEqual(cookieOf(reply), sent)
      assert.deepEqual(answerOf(await ask({ ...sameOrigin, cookie: sent })), required)
      cookie = cookieOf(reply)
    }
  })
})

describe('The console session of a service', () => {
  const person = async (service: TestService) => {
    const { username } = await service.register('visitor')
    return (headers: Record<string, string>) =>
      service.request('POST', '/console/session', { headers, body: { username, password } })
  }

  it('has a Secure cookie if the page or BASE_URL is https', async () => {
    const host = 'menagerie.example'
    const isSecure = async (signIn: Awaited<ReturnType<typeof person>>, headers: Record<string, string>) =>
      /; Secure$/.test((await signIn({ ...sameOrigin, ...headers })).headers.get('set-cookie') ?? '')
    const plain = await person(await startService())
    assert.equal(await isSecure(plain, { host, origin: `http://${host}` }), false)
    assert.equal(await isSecure(plain, { host, origin: `https://${host}` }), true)
    const secure = await person(await startService({ env: { BASE_URL: `https://${host}/pets` } }))
    assert.equal(await isSecure(secure, {}), true)
    assert.equal(await isSecure(secure, { host: 'upstream:3000', origin: `https://${host}` }), true)
  })

  it('is answered with 503, never 401, while the database is down, after one attempt to read it', async () => {
    const breakable = breakableUsers()
    let reads = 0
    const service = await startService({
      overrides: {
        users: (real) => {
          const broken = breakable.users(real)
          const findSession: typeof real.findSession = (hash) => {
            reads++
            return broken.findSession(hash)
          }
          return { ...broken, findSession }
        },
      },
    })
    await (await person(service))(sameOrigin)
    const browser = consoleBrowser(service)
    await browser.signIn('visitor')
    breakable.away = true
    reads = 0
    const { status, headers } = await browser.me()
    assert.deepEqual([status, headers.get('retry-after'), reads], [503, '1', 1])
    for (const reply of [await browser.signIn('visitor'), await browser.ask('DELETE', '/console/session')])
      assert.deepEqual(answerOf(reply), refused(503, 'Service is temporarily unavailable, please try again'))
    breakable.away = false
    assert.equal((await browser.me()).status, 200)
  })

  it('is none with CONSOLE=false, for a cookie from before too', async () => {
    const place = await sqlite.make()
    const open = await startService({ place })
    const browser = consoleBrowser(open)
    await (await person(open))(sameOrigin)
    await browser.signIn('visitor')
    assert.equal((await browser.me()).status, 200)
    await open.close()
    const closed = await startService({ place, env: { CONSOLE: 'false' } })
    const headers = { ...sameOrigin, cookie: browser.cookie }
    assert.deepEqual(answerOf(await closed.request('GET', '/auth/me', { headers })), required)
    assert.equal((await closed.request('POST', '/console/session', { headers })).status, 404)
    await closed.close()
    await place.drop()
  })
})

describe('The name of a browser', () => {
  it('is what its user calls it', () => {
    const mozilla = 'Mozilla/5.0'
    const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
    for (const [userAgent, name] of [
      [`${mozilla} (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0`, 'Firefox on Linux'],
      [`${mozilla} (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Windows'],
      [
        `${mozilla} (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
        'Edge on Windows',
      ],
      [`${mozilla} (Linux; Android 10; K) ${webkit} Chrome/140.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
      [
        `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`,
        'Safari on macOS',
      ],
      [
        `${mozilla} (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1`,
        'Safari on iPhone',
      ],
      [`${mozilla} (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on ChromeOS'],
      ['curl/8.5.0', 'curl'],
      ['', 'Unknown browser'],
      ['<script>alert(1)</script>', 'Unknown browser'],
    ])
      assert.equal(browserNameOf(userAgent), name)
    assert.equal(browserNameOf(), 'Unknown browser')
  })
})
