import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Stranger, stranger } from '../../support/people.ts'
import { stores } from '../../support/stores.ts'
import { withAudit } from './audit-stage.ts'

interface Row extends Stranger {
  readonly createdAt: string
  readonly total: number
}

const sortKeys = ['createdAt', 'username', 'total'] as const
const keyOf = {
  createdAt: (row: Row) => row.createdAt,
  username: (row: Row) => row.username.toLowerCase(),
  total: (row: Row) => row.total,
}
const compare = <T extends string | number>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0)

/** The promised order: by key, and by id where keys are equal; with `-`, the reverse. */
function sorted(rows: readonly Row[], sort: string): Row[] {
  const key = keyOf[sort.replace('-', '') as 'createdAt']
  const ascending = rows.toSorted((a, b) => compare(key(a), key(b)) || compare(a.id, b.id))
  return sort.startsWith('-') ? ascending.reverse() : ascending
}

for (const store of stores) {
  describe(`Pages of users on ${store.name}`, { skip: store.skip }, () => {
    const { stage, clock, owner, post, person } = withAudit(store)
    const get = async (query: string, path = '/admin/users/dashboard') => {
      const { status, body, text } = await stage.service.request('GET', path + query, { token: owner.token })
      assert.equal(status, 200, `${query}: ${text}`)
      return body
    }
    const names = async (query: string) =>
      (await get(`?limit=500&sort=username&${query}`)).users.map(({ username }: Row) => username)
    const rowsOf = (users: readonly Row[]) => users.filter(({ id }) => id !== owner.id)

    /** All rows of all pages, by `next`, except the owner's, whose counters move with each page. */
    async function walk(query: string, limit: number, path?: string): Promise<Row[]> {
      const rows: Row[] = []
      for (let cursor = ''; ; ) {
        const { users, next } = await get(`?${query}&limit=${limit}${cursor}`, path)
        const page = Array.isArray(users) ? users : Object.values<{ user: Row }>(users).map(({ user }) => user)
        assert.ok(page.length <= limit && (page.length === limit || next === null))
        rows.push(...page)
        if (next === null) return rowsOf(rows)
        cursor = `&cursor=${next}`
      }
    }

    before(async () => {
      const at = clock.now()
      // Spelled so that case, and the characters between upper and lower case, sort differently by name and by key.
      const spelled = ['Zed', 'abel', 'Abe', 'a_b', 'a-b', 'A.B', 'aZb', 'under_score', 'Under-Score', 'zed_2', 'ZED.3']
      for (const [index, username] of spelled.entries())
        await stranger(stage, { username, now: at + (index % 3), role: index % 4 === 0 ? 'support' : 'user' })
      for (const [index, username] of ['one', 'Two', 'three', 'four'].entries()) {
        clock.advance(1)
        const { accessToken: token } = await person(username, index === 3 ? 'moderator' : 'user')
        for (let each = 0; each < ([2, 0, 2, 11][index] ?? 0); each++)
          await stage.service.request('GET', '/auth/me', { token })
      }
      for (const username of ['abel', 'Zed', 'Two']) await post('/admin/ban', { username })
      await post('/admin/ban', { username: 'abe', until: new Date(clock.now() + 1_000).toISOString() })
      clock.advance(2_000)
    })

    for (const sort of sortKeys.flatMap((key) => [key, `-${key}`])) {
      it(`by ${sort} reach the end in that order, each row once`, async () => {
        const whole = rowsOf((await get('')).users)
        assert.equal(whole.length, 15)
        for (const limit of [1, 7, 500])
          assert.deepEqual(
            await walk(`sort=${sort}&q=e`, limit),
            sorted(
              whole.filter(({ username }) => /e/i.test(username)),
              sort,
            ),
          )
        // The owner's total grows with each page, so sorted by total the owner may appear again.
        const rows = await walk(`sort=${sort}`, 4)
        assert.deepEqual(rows, sorted(whole, sort))
        const keyed = await walk(`sort=${sort}`, 7, '/admin/users')
        assert.deepEqual(keyed.map(({ id }) => id).toSorted(), whole.map(({ id }) => id).toSorted())
      })
    }

    it('have 50 users by createdAt by default', async () => {
      const { users, next } = await get('?q=e')
      assert.deepEqual(rowsOf(users), sorted(rowsOf(users), 'createdAt'))
      assert.equal(next, null)
      for (let each = 0; each < 40; each++) await stranger(stage, { username: `many-${each}`, now: clock.now() })
      assert.deepEqual((await get('?banned=false')).users.length, 50)
      assert.equal((await get('?q=MANY-')).next, null)
      assert.equal((await get('?q=many-&limit=40')).next, null)
      assert.notEqual((await get('?q=many-&limit=39')).next, null)
    })

    it('have the shape of the whole list, plus next', async () => {
      const page = await get('?q=abel', '/admin/users')
      const whole = await get('', '/admin/users')
      assert.deepEqual(page, { status: 200, users: { abel: whole.users.abel }, next: null })
      assert.deepEqual(Object.keys(await get('?limit=1')), ['status', 'summary', 'users', 'next'])
    })

    it('contain the users whose ids are given, if they exist and match the other filters', async () => {
      const [zed, abel, one] = await Promise.all(
        ['zed', 'abel', 'one'].map(async (name) => (await get(`?q=${name}&sort=username`)).users[0].id),
      )
      const ids = `ids=${zed},${owner.id.replace(/.{4}$/, 'ffff')},${abel},${one}`
      assert.deepEqual(await names(ids), ['abel', 'one', 'Zed'])
      assert.deepEqual(await names(`${ids}&banned=true`), ['abel', 'Zed'])
      assert.deepEqual(Object.keys((await get(`?ids=${one}`, '/admin/users')).users), ['one'])
    })

    it('need a non-empty parameter: otherwise the whole list is returned', async () => {
      for (const query of ['', '?', '?limit=&cursor=&q=&role=&sort=', '?limit=&limit=2'])
        assert.equal((await get(query)).users.length, 56, query)
    })

    it('include the totals of all users', async () => {
      const { summary } = await get('')
      for (const query of ['?limit=1', '?q=nobody-at-all', '?role=moderator', '?banned=true&limit=500&sort=-total']) {
        summary.totalRequests++
        summary.adminRequests++
        assert.deepEqual((await get(query)).summary, summary, query)
      }
      assert.deepEqual([summary.totalUsers, summary.bannedUsers], [56, 3])
    })

    it('filter by role and by ban', async () => {
      assert.deepEqual(await names('role=support'), ['a-b', 'Under-Score', 'Zed'])
      assert.deepEqual(await names('role=moderator'), ['four'])
      assert.deepEqual(await names('role=owner'), ['olivia'])
      assert.deepEqual(await names('role=admin'), [])
      assert.deepEqual(await names('banned=true'), ['abel', 'Two', 'Zed'])
      const others = await names('banned=false')
      assert.equal(others.length, 53)
      assert.ok(others.includes('Abe') && !others.includes('abel'))
    })

    it('match a part of the name literally', async () => {
      const found: Record<string, readonly string[]> = {
        a_b: ['a_b'],
        'a-b': ['a-b'],
        'A.b': ['A.B'],
        _: ['a_b', 'under_score', 'zed_2'],
        aB: ['Abe', 'abel'],
        ZED: ['Zed', 'ZED.3', 'zed_2'],
        der: ['Under-Score', 'under_score'],
        UNDER_score: ['under_score'],
      }
      for (const [part, expected] of Object.entries(found))
        assert.deepEqual(await names(`q=${encodeURIComponent(part)}`), expected, part)
    })

    it('combine all filters on every page', async () => {
      assert.deepEqual(await names('role=support&banned=true&q=z'), ['Zed'])
      assert.deepEqual(await names('role=support&banned=false&q=z'), [])
      const walked = await walk('role=user&banned=false&q=a&sort=-username', 3)
      assert.deepEqual(walked, sorted(walked, '-username'))
      assert.equal(walked.length, 44)
    })

    it('use the first of a repeated parameter', async () => {
      assert.equal((await get('?limit=1&limit=500')).users.length, 1)
      assert.deepEqual(await names('q=abel&q=zed'), ['abel'])
      assert.deepEqual(await names('role=moderator&role=nonsense'), ['four'])
    })

    it('contain everyone exactly once despite renames and new users', async () => {
      const expected = new Set(rowsOf((await get('')).users).map(({ id }) => id))
      const seen: string[] = []
      for (let cursor = '', step = 0; ; step++) {
        const { users, next } = await get(`?sort=createdAt&limit=7${cursor}`)
        seen.push(...rowsOf(users).map(({ id }) => id))
        for (const [place, row] of [users[0], users.at(-1)].entries())
          if (row.id !== owner.id) await stage.accounts.rename(row.id, `renamed-${step}-${place}`)
        if (step < 3) await stranger(stage, { username: `late-${step}`, now: clock.now() })
        if (next === null) break
        cursor = `&cursor=${next}`
      }
      assert.equal(new Set(seen).size, seen.length)
      for (const id of expected) assert.ok(seen.includes(id))
    })
  })
}
