import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { bearer } from '../accounts/key-stage.ts'
import { startService, type TestService } from '../support/service.ts'
import { type Store, stores } from '../support/stores.ts'
import { toolHere, toolJson } from './tool.ts'

for (const store of stores) {
  describe(`API keys by the tool, ${store.name}`, { skip: store.skip }, () => {
    let place: Awaited<ReturnType<Store['make']>>
    let service: TestService
    before(async () => {
      place = await store.make()
      service = await startService({ place })
      await service.register('alice')
    })
    const run = (...args: string[]) => toolHere(place.env, ['key', ...args])
    const statusOf = async (secret: string) =>
      (await service.request('GET', '/images', { token: bearer(secret.trim()) })).status

    it('are created, rotated and revoked under a running service, with the secret alone on standard output', async () => {
      const args = [
        '--name',
        'photo frame',
        '--scopes',
        'images,upload',
        '--expires-in',
        '30d',
        '--limit-per-minute',
        '9',
      ]
      const made = await run('create', 'ALICE', ...args)
      assert.deepEqual([made.code, await statusOf(made.stdout)], [0, 200], made.stderr)
      const { keys } = await toolJson(place.env, ['key', 'list', 'alice'])
      const [{ id, name, scopes, limitPerMinute }] = keys
      assert.deepEqual([name, scopes, limitPerMinute, keys.length], ['photo frame', ['images', 'upload'], 9, 1])
      assert.match(made.stderr, new RegExp(`^API key ${id} of alice. The secret is shown only here.\n$`))
      assert.match((await run('list', 'alice')).stdout, /^NAME +SCOPES .*\nphoto frame +images,upload +9 .*\n$/)
      const graced = await run('rotate', id, '--grace-seconds', '60')
      assert.deepEqual([await statusOf(made.stdout), await statusOf(graced.stdout)], [200, 200])
      const rotated = await run('rotate', id)
      assert.deepEqual([await statusOf(graced.stdout), await statusOf(rotated.stdout)], [401, 200])
      assert.match(rotated.stderr, /has a new secret, shown only here. Older secrets are invalid/)
      assert.equal((await run('revoke', id)).code, 2)
      const revoked = await run('revoke', id, '--yes')
      assert.deepEqual([revoked.code, revoked.stdout], [0, 'API key "photo frame" of alice is revoked.\n'])
      assert.equal(await statusOf(rotated.stdout), 401)
      assert.equal((await run('list', 'alice')).stdout, 'No API keys.\n')
      const { events } = await toolJson(place.env, ['audit', '--target', 'alice'])
      const acts = events.slice(0, 4).map(({ action, actor }: Record<string, string>) => `${action} by ${actor}`)
      assert.deepEqual(acts, ['revoke-key by cli', 'rotate-key by cli', 'rotate-key by cli', 'create-key by cli'])
    })

    it('end when the tool signs their user out, even one who has no token', async () => {
      const bob = await service.register('bob')
      await service.request('POST', '/auth/logout', { token: bob.accessToken })
      const { key: secret, ...made } = await toolJson(place.env, [
        'key',
        'create',
        'bob',
        '--name',
        'x',
        '--scopes',
        'images',
      ])
      assert.equal(Date.parse(made.expiresAt) - Date.parse(made.createdAt), 365 * 86_400_000, 'a year by default')
      assert.equal(await statusOf(secret), 200)
      const { code, stdout } = await toolHere(place.env, ['user', 'revoke', 'bob', '--yes'])
      assert.deepEqual([code, stdout], [0, 'bob is signed out everywhere.\n'])
      assert.equal(await statusOf(secret), 401)
    })

    it('are refused with the name of what is wrong', async () => {
      const good = { '--name': 'x', '--scopes': 'images' }
      for (const [wrong, expected, code] of [
        [{ '--scopes': 'images,x' }, /Expected a comma-separated list of images, upload, store, admin:read/, 2],
        [{ '--name': ' ' }, /name must be 1 to 64 characters/, 2],
        [{ '--expires-in': 'soon' }, /Expected a duration such as 90s/, 2],
        [{ '--limit-per-minute': '0' }, /Expected a whole number from 1 to 100000/, 2],
      ] as const) {
        const ran = await run('create', 'alice', ...Object.entries({ ...good, ...wrong }).flat())
        assert.equal(ran.code, code)
        assert.match(ran.stderr, expected)
      }
      assert.equal((await run('create', 'alice', '--name', 'x')).code, 2)
      const unknown = await run('rotate', 'x')
      const told = 'No API key with the id "x"; run key list <username> to see those of a user.\n'
      assert.deepEqual([unknown.code, unknown.stderr], [1, told])
    })
  })
}
