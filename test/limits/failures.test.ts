import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Users } from '../../src/accounts/users.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { startService, type TestService } from '../support/service.ts'
import { aName, clientOf, ofTheContract, places, tally, times } from './stage.ts'

for (const place of places) {
  describe(`A password check that fails with 5xx, counted ${place.name}`, { skip: place.skip }, () => {
    let service: TestService
    let failure: Error | null = null
    const users = (real: Users): Users => ({
      ...real,
      find(who) {
        if (failure) throw failure
        return real.find(who)
      },
    })
    before(async () => {
      const env = { ...ofTheContract, TRUST_PROXY: 'loopback', RATE_LIMIT_AUTH_MAX: '0', ...place.env }
      service = await startService({ env, overrides: { users } })
    })

    for (const [status, reason] of [
      [503, new Unavailable('database', new Error('gone'))],
      [500, new Error('a mistake of ours')],
    ] as const)
      it(`${status} releases the reservations of the name and of the address`, async () => {
        const { login, register } = clientOf(service)
        const username = aName()
        assert.equal((await register(username)).status, 201)
        failure = reason
        for (let guess = 0; guess < 12; guess++) assert.equal((await login(username)).status, status)
        failure = null
        assert.deepEqual(tally(await times(9, () => login(aName(), 'wrong password'))), { 401: 8, 429: 1 })
        const other = clientOf(service)
        assert.deepEqual(tally(await times(9, () => other.login(username, 'wrong password'))), { 401: 5, 429: 4 })
      })
  })
}
