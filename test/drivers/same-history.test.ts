import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { roles } from '../../src/accounts/roles.ts'
import { createUserStore } from '../../src/drivers/sql/user-store.ts'
import { stores } from '../support/stores.ts'
import { accountOf } from './user-store.contract.ts'

type Users = ReturnType<typeof createUserStore>

const names = ['ann', 'Ann', 'ANN', 'bo.b', 'Bo.b', 'c-a', 'c_a', 'c.a', '__proto__', 'Zed', 'zed-1', '0ne']
const accounts = names.map((name) => accountOf(name))

/** One step of a history: which act, on whom, with what. */
const step = fc.record({
  act: fc.constantFrom('insert', 'session', 'end', 'password', 'role', 'ban', 'unban', 'revoke', 'reset'),
  who: fc.nat(accounts.length - 1),
  what: fc.nat(4),
})

async function take(users: Users, { act, who, what }: { act: string; who: number; what: number }): Promise<unknown> {
  const account = accounts[who] as (typeof accounts)[number]
  const { id } = account
  const now = await users.findById(id)
  const verifiedHash = what === 0 ? 'another' : (now?.passwordHash ?? 'none')
  switch (act) {
    case 'insert':
      return users.insert(account)
    case 'session':
      return users.startSession({ id, tokenHash: `t${what}`, verifiedHash, rehashed: what === 4 ? 'rehashed' : null })
    case 'end':
      return users.endSession(id, `t${what}`)
    case 'password':
      return users.changePassword({
        id,
        passwordHash: `p${what}`,
        tokenHash: `n${what}`,
        verifiedHash,
        currentTokenHash: now?.tokenHash ?? '',
        at: what,
      })
    case 'role':
      return users.setRole(id, roles[what] as (typeof roles)[number], what)
    case 'ban':
    case 'unban':
      return users.setBanned(id, act === 'ban', what)
    case 'revoke':
      return users.revokeToken(id)
    default:
      return users.setPassword(id, `r${what}`, what)
  }
}

const [first, second] = stores

describe('SQLite and PostgreSQL', { skip: second?.skip ?? false }, () => {
  it('answer the same to every step of a random history, and list the same bytes in the same order', async () => {
    const places = await Promise.all([first, second].map((store) => store?.make()))
    const databases = await Promise.all(places.map((place) => place?.open()))
    const both = databases.map((database) => createUserStore(database as NonNullable<typeof database>)) as [
      Users,
      Users,
    ]
    const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (history) => {
      for (const one of history)
        assert.deepEqual(await take(both[0], one), await take(both[1], one), JSON.stringify(one))
      const [left, right] = await Promise.all(both.map((users) => users.list(null, 100)))
      assert.deepEqual(left, right)
      assert.equal(await both[0].ownerExists(), await both[1].ownerExists())
    })
    await fc.assert(property, { seed: 7, numRuns: 12 })
    await Promise.all(databases.map((database) => database?.close()))
    await Promise.all(places.map((place) => place?.drop()))
  })
})
