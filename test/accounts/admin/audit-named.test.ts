import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Person } from '../../support/service.ts'
import { someOf } from '../../support/size.ts'
import { stores } from '../../support/stores.ts'
import { withAudit } from './audit-stage.ts'

const paths = {
  '/admin/ban': 'ban',
  '/admin/unban': 'unban',
  '/admin/user/edit/role': 'role',
  '/admin/user/edit/username': 'rename',
  '/admin/user/revoke-token': 'revoke-token',
  '/admin/user/reset-password': 'reset-password',
}
const misplaced = [{ dryRun: true }, 'dryRun belongs in the query, not in the body'] as const
const refusals: readonly (readonly [path: keyof typeof paths, terms: object, message: string])[] = [
  ...(Object.keys(paths) as (keyof typeof paths)[]).map((path) => [path, ...misplaced] as const),
  ['/admin/ban', { reason: 1 }, 'reason must be a string of at most 500 characters'],
  ['/admin/ban', { until: '2001-01-01T00:00:00Z' }, 'until must be an ISO 8601 timestamp in the future'],
  ['/admin/user/edit/role', {}, 'role is required and must be a string'],
  ['/admin/user/edit/role', { role: 'king' }, 'Invalid role provided'],
  ['/admin/user/edit/username', {}, 'newUsername is required'],
  [
    '/admin/user/edit/username',
    { newUsername: 'a b' },
    'Invalid username format. Must be 3-32 characters with only alphanumeric, underscore, hyphen, or dot',
  ],
]

for (const store of stores) {
  describe(`An act with an invalid form, ${store.name}`, { skip: store.skip }, () => {
    const { post, person, during, owner } = withAudit(store)
    let target: Person
    before(async () => {
      target = await person('Target')
    })

    for (const [index, [path, terms, message]] of refusals.entries()) {
      const some = <T>(forms: readonly T[]) => (index === 0 ? forms : someOf(1, forms))
      const attempt = async (who: object) => {
        const { reply, told } = await during(() => post(path, { ...who, ...terms }))
        assert.equal(reply.status, 400, reply.text)
        return told.map(({ action, outcome, actor, target }) => [action, outcome, actor, target])
      }
      const event = (target: string | null) => [[paths[path], `refused: ${message}`, owner.id, target]]

      it(`records the named user as its target: ${path}, ${message}`, async () => {
        for (const who of some([
          { userId: target.id },
          { username: 'tARGET' },
          { userId: target.id, username: 'olivia' },
          { userId: '', username: 'target' },
        ]))
          assert.deepEqual(await attempt(who), event(target.id))
        for (const who of some([
          { userId: 'Target' },
          { username: 'my-password' },
          { userId: target.id.toUpperCase() },
        ]))
          assert.deepEqual(await attempt(who), event(null))
      })
    }

    it('records no target if the body names nobody', async () => {
      for (const body of [{}, [], { userId: 7, username: null }, { userId: '', username: '' }]) {
        const { told } = await during(() => post('/admin/user/edit/role', body))
        assert.deepEqual(
          told.map(({ outcome, target }) => [outcome, target]),
          [['refused: userId or username is required', null]],
        )
      }
    })
  })
}
