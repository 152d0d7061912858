import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Role, roles } from '../../../src/accounts/roles.ts'
import { answerOf, asDryRun, type Cast, cast, mayNotAccess, refused } from '../../support/people.ts'
import { someOf } from '../../support/size.ts'
import { stores } from '../../support/stores.ts'
import { withService } from '../../support/with-service.ts'

const administrators: readonly Role[] = ['admin', 'owner']
const routes: readonly [method: 'GET' | 'POST', path: string, allowed: readonly Role[]][] = [
  ['POST', '/admin/ban', administrators],
  ['POST', '/admin/unban', administrators],
  ['POST', '/admin/user/revoke-token', administrators],
  ['POST', '/admin/user/reset-password', administrators],
  ['POST', '/admin/user/delete', administrators],
  ['POST', '/admin/user/create', administrators],
  ['POST', '/admin/user/edit/role', administrators],
  ['POST', '/admin/user/edit/username', administrators],
  ['GET', '/admin/user/search', ['support', 'moderator', 'admin', 'owner']],
  ['GET', '/admin/user/ban', administrators],
  ['GET', '/admin/users', administrators],
  ['GET', '/admin/users/dashboard', administrators],
  ['GET', '/admin/usage', administrators],
  ['GET', '/admin/audit', administrators],
]
const bodies = [undefined, '', '{', 'null', '{"username":"target-user"}', '{"userId":7}', 'x'.repeat(20_000)]
const priority: Readonly<Record<Role, number>> = { user: 0, support: 1, moderator: 2, admin: 3, owner: 4 }

for (const store of stores) {
  describe(`Permissions on ${store.name}`, { skip: store.skip }, () => {
    const stage = withService(store)
    let actors: Cast
    let targets: Cast
    let banned: string
    before(async () => {
      actors = await cast(stage)
      targets = await cast(stage, '-target')
      const person = await stage.service.register('banned')
      await stage.accounts.setRole(person.id, 'admin')
      await stage.accounts.ban(person.id)
      banned = person.accessToken
    })
    const post = async (path: string, actor: Role, body: object) =>
      answerOf(await stage.service.request('POST', path, { token: actors[actor].accessToken, body }))

    for (const [method, path, allowed] of routes) {
      it(`${method} ${path} is refused before validation except for ${allowed.join(', ')}`, async () => {
        const forms = method === 'GET' ? [undefined] : someOf(2, bodies)
        for (const body of forms) {
          for (const query of ['', '?dryRun=perhaps&limit=0&userId=x']) {
            const ask = async (token?: string) =>
              answerOf(await stage.service.request(method, path + query, { token, body }))
            assert.deepEqual(await ask(), refused(401, 'Access token is required'))
            assert.deepEqual(await ask('Bearer x.y.z'), refused(401, 'Invalid or revoked access token'))
            assert.deepEqual(await ask(banned), refused(403, 'User is banned'))
            for (const role of roles.filter((each) => !allowed.includes(each)))
              assert.deepEqual(await ask(actors[role].accessToken), mayNotAccess, role)
          }
        }
      })

      it(`${method} ${path} is validated for ${allowed.join(', ')}`, async () => {
        for (const role of allowed) {
          const reply = await stage.service.request(method, path, { token: actors[role].accessToken })
          if (method === 'GET' && !path.startsWith('/admin/user/')) assert.equal(reply.status, 200)
          else {
            const needed = path === '/admin/user/create' ? 'username' : 'userId or username'
            assert.deepEqual(answerOf(reply), refused(400, `${needed} is required`))
          }
        }
      })
    }

    for (const actor of roles) {
      for (const role of roles) {
        const isAllowed = administrators.includes(actor) && priority[actor] > priority[role]
        const expected = (message: string) => (administrators.includes(actor) ? refused(403, message) : mayNotAccess)

        it(`${actor} ${isAllowed ? 'can ban, unban, rename, sign out, reset the password of and delete' : 'can do nothing to'} ${role}`, async () => {
          const { accounts } = stage
          const { id, username } = targets[role]
          const user = { id, username, role, banned: false }
          const name = `${username}.2`
          const done = (message: string, changed = {}) => [200, { status: 200, message, user: { ...user, ...changed } }]
          const named = { userId: id }

          assert.deepEqual(
            await post('/admin/ban', actor, named),
            isAllowed
              ? done(`User ${username} has been banned`, { banned: true })
              : expected('You do not have permission to ban this user'),
          )
          await accounts.ban(id)
          assert.deepEqual(
            await post('/admin/unban', actor, named),
            isAllowed
              ? done(`User ${username} has been unbanned`)
              : expected('You do not have permission to unban this user'),
          )
          await accounts.unban(id)
          assert.deepEqual(
            await post('/admin/user/edit/username', actor, { ...named, newUsername: name }),
            isAllowed
              ? done(`User username has been changed to ${name}`, { username: name })
              : expected("You do not have permission to change this user's username"),
          )
          await accounts.rename(id, username)
          assert.deepEqual(
            await post('/admin/user/revoke-token', actor, named),
            isAllowed
              ? done(`User ${username} has been signed out`)
              : expected('You do not have permission to sign this user out'),
          )
          assert.deepEqual(
            await post('/admin/user/reset-password?dryRun=true', actor, named),
            isAllowed
              ? asDryRun(done(`Password of ${username} has been reset`))
              : expected('You do not have permission to reset the password of this user'),
          )
          assert.deepEqual(
            await post('/admin/user/delete?dryRun=true', actor, named),
            isAllowed
              ? asDryRun(done(`User ${username} has been deleted`))
              : expected('You do not have permission to delete this user'),
          )
        })

        it(`${actor} can give ${role} only lower roles than their own`, async () => {
          const { id, username } = targets[role]
          for (const given of roles) {
            await stage.accounts.setRole(id, role)
            const reply = await post('/admin/user/edit/role', actor, { userId: id, role: given })
            const user = { id, username, role: given, banned: false }
            const message = `User ${username} has been changed to ${given}`
            const isGiven = isAllowed && priority[actor] > priority[given]
            assert.deepEqual(
              reply,
              isGiven
                ? [200, { status: 200, message, user }]
                : expected("You do not have permission to change this user's role"),
            )
            assert.equal((await stage.accounts.find(id)).role, isGiven ? given : role)
          }
          await stage.accounts.setRole(id, role)
        })
      }
    }
  })
}
