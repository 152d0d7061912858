import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { answerOf, refused, stranger } from '../../support/people.ts'
import { stores } from '../../support/stores.ts'
import { withAudit } from './audit-stage.ts'

const badCursor = 'cursor must be the `next` value of a previous response, with the same sort'
const id = '019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3'
const wrong: Record<string, readonly string[]> = {
  'limit must be a whole number from 1 to 500': '0 501 -1 1.5 1.0 abc 1e2 0x1 %201 1%20 %2B1 1,2 %00 null'
    .split(' ')
    .concat('9'.repeat(400))
    .map((limit) => `limit=${limit}`),
  'sort must be createdAt, username or total, with - in front for descending':
    'created_at id createdat --total +total - %20total total,username constructor passwordHash'
      .split(' ')
      .map((sort) => `sort=${sort}`),
  'banned must be true or false': ['on', '2', 'TRUE', '', 'null', 'true%20'].map((banned) => `banned=${banned}`),
  'role must be one of user, support, moderator, admin, owner': [
    ...['king', 'User', 'user,admin', 'toString', '%27%20OR%201=1', '*'],
  ].map((role) => `role=${role}`),
  'ids must be at most 100 user ids, separated by commas': [
    ...['', 'alice', ',', `${id},`, `${id}, ${id}`, id.toUpperCase(), Array(101).fill(id).join(',')],
  ].map((ids) => `ids=${ids}`),
  'Unknown parameter: username': ['username=aaa', 'username=', 'limit=x&username=aaa', 'q=a&username'],
  'Unknown parameter: Limit': ['Limit=1'],
  'Unknown parameter: ?limit': ['?limit=1'],
  'Unknown parameter: bannedd': ['bannedd=true'],
  'Unknown parameter: userId': ['userId=x&role=x'],
  [badCursor]: [...['x', 'W10', 'bnVsbA', '%00', 'e30', '%F0%9F%92%A5', 'A'.repeat(5_000), '../..', 'null']].map(
    (cursor) => `cursor=${cursor}`,
  ),
}
const written = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')

for (const store of stores) {
  for (const path of ['/admin/users', '/admin/users/dashboard']) {
    describe(`Invalid parameters of ${path} on ${store.name}`, { skip: store.skip }, () => {
      const { stage, owner } = withAudit(store)
      const get = (query: string) => stage.service.request('GET', `${path}?${query}`, { token: owner.token })
      const namesOf = async (query: string): Promise<string[]> => {
        const { status, body } = await get(query)
        assert.equal(status, 200, query)
        return path === '/admin/users'
          ? Object.keys(body.users)
          : body.users.map((row: { username: string }) => row.username)
      }
      const nextOf = async (query: string): Promise<string> => (await get(query)).body.next
      before(async () => {
        for (const username of ['aaa', 'bbb', 'ccc', 'ddd']) await stranger(stage, { username })
      })

      for (const [message, queries] of Object.entries(wrong)) {
        it(`400: ${message.slice(0, 50)}`, async () => {
          for (const query of queries) assert.deepEqual(answerOf(await get(query)), refused(400, message), query)
        })
      }

      it('are reported in the order of the parameters, and the cursor last', async () => {
        const query = 'sort=x&banned=x&role=x&cursor=x&limit=x'
        assert.equal((await get(query)).body.message, Object.keys(wrong)[0])
        assert.match((await get('sort=x&cursor=x')).body.message, /^sort/)
      })

      it('a cursor has its own order, and is refused beside a different one', async () => {
        const next = await nextOf('sort=-username&limit=2')
        assert.deepEqual((await namesOf(`cursor=${next}&limit=2`)).toSorted(), ['bbb', 'ccc'])
        assert.deepEqual((await namesOf(`cursor=${next}&limit=2&sort=-username`)).toSorted(), ['bbb', 'ccc'])
        for (const sort of ['username', 'createdAt', '-createdAt', 'total', '-total'])
          assert.deepEqual(answerOf(await get(`sort=${sort}&cursor=${next}`)), refused(400, badCursor), sort)
        const usual = await nextOf('limit=1')
        assert.equal((await namesOf(`cursor=${usual}&sort=createdAt`)).length, 4)
        assert.deepEqual(answerOf(await get(`cursor=${usual}&sort=username`)), refused(400, badCursor))
      })

      it('a cursor stores nothing else: filters may change', async () => {
        const next = await nextOf('sort=username&limit=1&role=user')
        assert.deepEqual(await namesOf(`cursor=${next}&q=d`), ['ddd'])
        assert.deepEqual((await namesOf(`cursor=${next}`)).toSorted(), ['bbb', 'ccc', 'ddd', 'olivia'])
      })

      it('a modified or truncated cursor is refused', async () => {
        for (const sort of ['createdAt', '-username', 'total']) {
          const next = await nextOf(`sort=${sort}&limit=2`)
          const [, value, id] = JSON.parse(Buffer.from(next, 'base64url').toString())
          assert.equal(written(sort, value, id), next)
          const forged = [
            ...[next.slice(0, -1), next.slice(1), `${next}=`, `${next}A`, `${next}%20`, next + next],
            ...[written('id', value, id), written('password_hash', value, id), written('__proto__', value, id)],
            ...[written(sort, value), written(sort, value, id, 1), written(sort, null, id), written(sort, [value], id)],
            ...[written(sort, value, 'x'), written(sort, value, null), written(sort, value, id.toUpperCase())],
            written(sort, typeof value === 'number' ? String(value) : 7, id),
            written(sort, typeof value === 'number' ? value + 0.5 : "x' OR 1=1 --", id),
            written(sort, typeof value === 'number' ? 1e300 : 'b\0b', id),
          ]
          for (const cursor of forged)
            assert.deepEqual(answerOf(await get(`cursor=${cursor}`)), refused(400, badCursor), cursor)
        }
      })

      it('a cursor of the audit is refused', async () => {
        const { body } = await stage.service.request('GET', '/admin/audit?limit=1', { token: owner.token })
        assert.deepEqual(answerOf(await get(`cursor=${body.next}`)), refused(400, badCursor))
      })

      it('a cursor continues after its user was renamed', async () => {
        const next = await nextOf('sort=username&limit=1')
        await stage.accounts.rename(JSON.parse(Buffer.from(next, 'base64url').toString())[2], 'zzz')
        const names = await namesOf(`cursor=${next}`)
        assert.deepEqual(names.toSorted(), ['bbb', 'ccc', 'ddd', 'olivia', 'zzz'])
      })
    })
  }
}
