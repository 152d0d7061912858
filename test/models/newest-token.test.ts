import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setPassword } from '../../src/accounts/change-password.ts'
import { createGuard, type GuardDeps, mayEnter } from '../../src/accounts/guard.ts'
import { login, logout } from '../../src/accounts/login.ts'
import type { Tokens, VerifiedToken } from '../../src/accounts/tokens.ts'
import type { Account, Act, Users } from '../../src/accounts/users.ts'
import type { Call } from '../../src/http/call.ts'
import { Refused } from '../../src/http/refusal.ts'
import { exploreSchedules, type Scheduler, type Step, type World } from './explore.ts'

/*
 * The real sign-in, sign-out, change of a password and check of a token, on several instances at once: each read of the
 * database, each check of a password and each transaction is a step, in every order.
 */

const timeout = 60_000
const id = '01a220b2-3dfe-7008-a62c-fedea93f4aa8'
const origin = { actor: 'cli', address: null, requestId: null } as never
const { signal } = new AbortController()

/** How the database of the model differs from a real one. */
type Bug = 'reads before it locks' | null

function createWorld({ task }: Scheduler, bug: Bug): World {
  let account = {
    id,
    username: 'alice',
    role: 'user',
    banned: false,
    ban: null,
    tokenHash: null,
    passwordHash: 'hash of old',
  } as unknown as Account
  let issued = 0
  let ofPhone: string | null = null
  const problems: string[] = []

  const usersOf = (step: Step): Users =>
    ({
      find: () => step('read the account', () => account),
      findPrincipal: () => step('read the account', () => account),
      async change({ action }: Act, changeOf: Parameters<Users['change']>[1]) {
        const stale = bug === 'reads before it locks' ? await step('read the account', () => account) : null
        return step('write', () => {
          const change = changeOf({ target: stale ?? account, actor: null })
          if (change === null || change.values === 'delete') return { account, changed: false, isNameTaken: false }
          const { passwordHash, tokenHash, ban } = change.values
          if (action === 'logout' && account.tokenHash !== ofPhone) problems.push('a sign-out ends a newer token')
          if (action === 'login' && account.banned) problems.push('a banned account signs in')
          if (action === 'login' && account.passwordHash !== 'hash of old')
            problems.push('the old password signs in after the new one was set')
          account = {
            ...account,
            ...(passwordHash !== undefined && { passwordHash }),
            ...(tokenHash !== undefined && { tokenHash }),
            ...(ban !== undefined && { ban, banned: ban !== null }),
          }
          return { account, changed: true, isNameTaken: false }
        })
      },
    }) as unknown as Users
  const passwordsOf = (step: Step) =>
    ({
      verify: (hash: string | null, password: string) =>
        step(`compare the password ${password}`, () => hash === `hash of ${password}`),
      isOutdated: () => false,
      hash: async (password: string) => `hash of ${password}`,
    }) as never
  const tokens = {
    async issue() {
      issued += 1
      return { token: `${issued}`, verified: verifiedOf(`${issued}`) }
    },
    read: (authorization: string) => verifiedOf(authorization),
  } as unknown as Tokens
  const verifiedOf = (token: string) => ({ userId: id, tokenHash: `hash of ${token}` }) as VerifiedToken

  /** With the old password. Null if it is refused. */
  const signIn = async (step: Step): Promise<string | null> => {
    const deps = { users: usersOf(step), passwords: passwordsOf(step), tokens }
    try {
      return (await login(deps, { username: 'alice', password: 'old', from: origin }, signal)).token
    } catch (error) {
      assert(error instanceof Refused)
      return null
    }
  }
  const request = async (step: Step, token: string): Promise<void> => {
    await step('wait', () => {})
    const isNewest = account.tokenHash === `hash of ${token}`
    const isBanned = account.banned
    const deps = {
      users: usersOf(step),
      tokens,
      journal: { count() {} },
      cookies: { areRead: false, baseOrigin: null },
    }
    const call = { req: { headers: { authorization: token }, rawHeaders: [] }, route: null } as unknown as Call
    try {
      mayEnter(await createGuard(deps as unknown as GuardDeps).admit(call))
    } catch (error) {
      assert(error instanceof Refused)
      return
    }
    if (!isNewest) problems.push('a token is let in that was replaced before the request began')
    if (isBanned) problems.push('a user is let in that was banned before the request began')
  }

  task('a phone', async (step) => {
    const token = await signIn(step)
    if (token === null) return
    ofPhone = `hash of ${token}`
    await request(step, token)
    await logout({ users: usersOf(step) }, origin, verifiedOf(token))
    if (account.tokenHash === ofPhone) problems.push('a token lives after its sign-out')
  })
  task('a laptop', async (step) => {
    const token = await signIn(step)
    if (token !== null) await request(step, token)
  })
  task('the operator', (step) =>
    setPassword({ users: usersOf(step), passwords: passwordsOf(step) }, origin, { id }, 'new'),
  )
  task('an administrator', (step) => {
    const ban = { reason: null, since: 0, until: null, by: null }
    return usersOf(step).change({ action: 'ban', by: origin, target: { id } }, () => ({ values: { ban } }))
  })
  return {
    state: () => [account, issued, ofPhone, problems],
    check() {
      const [first] = problems
      if (first !== undefined) throw new Error(first)
    },
  }
}

describe('The newest token', { timeout }, () => {
  it('is the only one let in, no sign-out ends another, and no old password or banned user gets in, in any order', async (t) => {
    t.diagnostic(`${await exploreSchedules((scheduler) => createWorld(scheduler, null))} states`)
  })

  it('is not, with a database that reads before it locks', async () => {
    await assert.rejects(
      exploreSchedules((scheduler) => createWorld(scheduler, 'reads before it locks')),
      /old password succeeds|ends|replaced/,
    )
  })
})
