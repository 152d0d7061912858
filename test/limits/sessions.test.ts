import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleBrowser, sameOrigin } from '../support/console-browser.ts'
import { startService } from '../support/service.ts'
import { aName, anAddress, clientOf, limited, ofTheContract, places, tally, times, told, tooMany } from './stage.ts'

/** Delays would make the tests slow. */
const undelayed = { RATE_LIMIT_AUTH_SLOW_STEP_MS: '0', RATE_LIMIT_REGISTER_SLOW_STEP_MS: '0' }

for (const place of places) {
  describe(`Limits of console sessions, counted ${place.name}`, { skip: place.skip }, () => {
    const stage = limited(place, { ...undelayed, RATE_LIMIT_SESSION_MAX: '60' })
    /** Somebody signed in to the console from an address of their own. */
    const signedIn = async () => {
      const { address, register, ask } = clientOf(stage.service)
      const username = aName()
      await register(username)
      const browser = () => consoleBrowser(stage.service, { 'x-forwarded-for': address })
      const one = browser()
      assert.equal((await one.signIn(username)).status, 200)
      return { ...one, browser, username, anybody: ask }
    }

    it('leave the auth scope of the address, which a sign-in counts in, and have their own', async () => {
      const { ask, anybody, browser, username } = await signedIn()
      const left = async () => Number(told(await anybody('GET', '/auth/nothing')).remaining)
      // The registration and the sign-in.
      assert.equal(await left(), 47)
      assert.deepEqual(tally(await times(59, () => ask('GET', '/auth/sessions'))), { 200: 59 })
      const last = await ask('GET', '/images')
      assert.deepEqual([last.status, told(last).limit, told(last).remaining], [200, '60', '0'])
      const over = await ask('GET', '/auth/me')
      assert.deepEqual([over.status, over.body, told(over).limit], [429, tooMany, '60'])
      assert.equal(await left(), 46)
      const two = browser()
      assert.equal((await two.signIn(username)).status, 200)
      assert.equal((await two.me()).status, 200, 'another session has its own')
      assert.equal(await left(), 44)
    })

    it('count a request with a missing, false or misplaced cookie as without it', async () => {
      const { ask, anybody } = await signedIn()
      const left = async () => Number(told(await anybody('GET', '/auth/nothing')).remaining)
      const before = await left()
      const asked: readonly Record<string, string>[] = [
        { cookie: '' },
        { cookie: `menagerie_session=${'A'.repeat(43)}` },
        { 'sec-fetch-site': 'cross-site' },
        { origin: 'https://elsewhere.example' },
        { 'x-api-key': 'x' },
      ]
      for (const headers of asked) assert.equal((await ask('GET', '/auth/me', { headers })).status, 401)
      assert.equal(await left(), before - asked.length - 1)
      for (const path of ['/auth/login', '/auth/register', '/auth/nothing']) await ask('POST', path, { body: {} })
      assert.equal(await left(), before - asked.length - 5, 'what needs no credential ignores the cookie')
    })

    it('are told by GET /auth/me instead of the auth scope', async () => {
      const { ask, me } = await signedIn()
      assert.equal((await ask('POST', '/images/report', { body: {} })).status, 400)
      const { limits } = (await me()).body
      assert.deepEqual(
        limits.map(({ scope, limit, remaining }: Record<string, unknown>) => [scope, limit, remaining]),
        [
          ['global', 1000, 996],
          ['session', 60, 58],
          ['register', 3, 2],
          ['login_address', 8, 8],
          ['login_name', 5, 5],
          ['report', 10, 9],
        ],
      )
    })

    it('count wrong passwords of a sign-in and of a password again as failed logins', async () => {
      const { ask, browser, username } = await signedIn()
      const again = () => ask('POST', '/auth/embed', { body: { kind: 'fox', password: 'wrong password' } })
      assert.deepEqual(tally(await times(2, again)), { 401: 2 })
      const other = browser()
      assert.deepEqual(tally(await times(6, () => other.signIn(username, 'wrong password'))), { 401: 3, 429: 3 })
      assert.equal((await again()).status, 429)
      assert.equal((await other.signIn(username)).status, 429)
      assert.equal((await ask('GET', '/auth/me')).status, 200)
    })

    it('hold for sign-ins as for logins, for known and unknown names alike', async () => {
      const address = anAddress()
      const browser = consoleBrowser(stage.service, { 'x-forwarded-for': address })
      const replies = await times(40, () => browser.signIn(aName(), 'wrong password'))
      assert.deepEqual(tally(replies), { 401: 8, 429: 32 })
      const body = { username: aName(), password: 'wrong password' }
      const login = await clientOf(stage.service, address).ask('POST', '/auth/login', { body, headers: sameOrigin })
      assert.equal(login.status, 429)
    })
  })

  describe(`Limits of console sessions on two instances, counted ${place.name}`, { skip: place.skip }, () => {
    it('are shared if the counters are', async () => {
      const stores = await import('../support/stores.ts')
      const on = await (stores.stores[0] ?? assert.fail()).make()
      const env = { ...ofTheContract, ...undelayed, ...place.env, RATE_LIMIT_SESSION_MAX: '20' }
      const [one, two] = [await startService({ place: on, env }), await startService({ place: on, env })]
      const { username } = await one.register(aName())
      const browser = consoleBrowser(one)
      await browser.signIn(username)
      const headers = { ...sameOrigin, cookie: browser.cookie }
      const replies = await times(30, (index) => (index % 2 ? one : two).request('GET', '/images', { headers }))
      assert.deepEqual(tally(replies), place.name === 'over Redis' ? { 200: 20, 429: 10 } : { 200: 30 })
      await Promise.all([one.close(), two.close()])
      await on.drop()
    })
  })
}
