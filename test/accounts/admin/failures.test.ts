import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Users } from '../../../src/accounts/users.ts'
import { Unavailable } from '../../../src/lib/unavailable.ts'
import { answerOf, type Cast, cast, refused, stranger } from '../../support/people.ts'
import { stores } from '../../support/stores.ts'
import { withService } from '../../support/with-service.ts'

const away = refused(503, 'Service is temporarily unavailable, please try again')
const acts: readonly [path: string, body: object, named: string | null][] = [
  ['/admin/ban', {}, 'Failed to ban user'],
  ['/admin/user/edit/role', { role: 'support' }, 'Failed to update user role'],
  ['/admin/user/edit/username', { newUsername: 'renamed' }, 'Failed to update user username'],
  ['/admin/unban', {}, null],
  ['/admin/user/revoke-token', {}, null],
  ['/admin/user/reset-password', {}, null],
  ['/admin/user/delete', {}, null],
]

for (const store of stores) {
  describe(`An act that fails on ${store.name}`, { skip: store.skip }, () => {
    let failure: Error | null = null
    const users = (real: Users): Users => ({
      ...real,
      change(act, changeOf) {
        if (failure) throw failure
        return real.change(act, changeOf)
      },
    })
    const stage = withService(store, { overrides: { users } })
    let people: Cast
    before(async () => {
      people = await cast(stage)
    })
    const failing = async (error: Error, path: string, body: object) => {
      failure = error
      try {
        return await stage.service.request('POST', path, { token: people.admin.accessToken, body })
      } finally {
        failure = null
      }
    }

    for (const [path, body, named] of acts) {
      it(`${path} answers ${named ?? '503'} when the database fails after the guard, and changes nothing`, async () => {
        const { id } = await stranger(stage)
        const account = await stage.accounts.find(id)
        for (const query of ['', '?dryRun=true']) {
          const gone = new Unavailable('database', new Error('taken away by a test'))
          const reply = await failing(gone, path + query, { ...body, userId: id })
          assert.deepEqual(answerOf(reply), named === null ? away : refused(503, named))
          assert.equal(reply.headers.get('retry-after'), '1')
        }
        assert.deepEqual(await stage.accounts.find(id), account)
      })

      it(`${path} hides the details of an unexpected error`, async () => {
        const { id } = await stranger(stage)
        const reply = await failing(new Error('a detail'), path, { ...body, userId: id })
        const unnamed = [500, { message: 'Internal Server Error', stack: 'N/A' }]
        assert.deepEqual(answerOf(reply), named === null ? unnamed : refused(500, named))
        assert.match(JSON.stringify(stage.service.logged()), /a detail/)
      })

      it(`${path} still refuses by guard and form while nothing can be written`, async () => {
        const gone = new Unavailable('database', new Error('taken away by a test'))
        const reply = await failing(gone, path, body)
        assert.deepEqual(answerOf(reply), refused(400, 'userId or username is required'))
      })
    }
  })
}
