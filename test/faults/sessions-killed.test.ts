import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { atEnd } from '../support/at-end.ts'
import { sameOrigin } from '../support/console-browser.ts'
import { type Api, end, integrityOf, owner, start } from '../support/killed-service.ts'
import { seedOr } from '../support/seed.ts'
import { send } from '../support/send.ts'
import { sized } from '../support/size.ts'
import { testFolder } from '../support/test-folder.ts'
import { seededRandom } from '../support/uniform.ts'
import { until } from '../support/until.ts'

const kills = Number(process.env.CRASH_KILLS || sized(1, 2, 5))
const seed = seedOr(5)

async function run(dataDir: string): Promise<Api> {
  const api = await start(dataDir)
  atEnd(() => end(api))
  return api
}

/** As the console's own page does. */
const from = ({ url }: Api, method: string, path: string, cookie = '', body?: object) =>
  send(method, url + path, { headers: { ...sameOrigin, ...(cookie && { cookie }) }, ...(body && { body }) })

const signIn = async (api: Api) => {
  const { status, headers } = await from(api, 'POST', '/console/session', '', owner)
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';', 1)
  return { status, cookie }
}
const statusOf = async (api: Api, cookie: string) => (await from(api, 'GET', '/auth/me', cookie)).status

describe('Console sessions', () => {
  it(`that were started or ended stay so over kill -9: ${kills} kills, seed ${seed}`, {
    timeout: (kills + 2) * 30_000,
  }, async () => {
    const dataDir = testFolder()
    const random = seededRandom(seed)
    const open = new Set<string>()
    const ended = new Set<string>()
    for (let kill = 0; kill <= kills; kill++) {
      const api = await run(dataDir)
      for (const cookie of open) assert.equal(await statusOf(api, cookie), 200)
      for (const cookie of ended) assert.equal(await statusOf(api, cookie), 401)
      assert.deepEqual(integrityOf(dataDir), [])
      let acts = 0
      const act = async () => {
        for (;;) {
          const [old] = open
          if (old !== undefined && open.size > 5) {
            open.delete(old)
            assert.equal((await from(api, 'DELETE', '/console/session', old)).status, 200)
            ended.add(old)
          } else {
            const { status, cookie } = await signIn(api)
            assert.equal(status, 200)
            open.add(cookie)
          }
          acts++
        }
      }
      const acting = act().catch((error) => {
        // What was cut off may or may not have happened.
        if (error instanceof assert.AssertionError) throw error
      })
      const enough = 5 + Math.floor(random() * 10)
      await until(() => acts >= enough)
      await end(api)
      await acting
    }
  })

  it('last while the disk is full, and none starts or ends then', {
    skip: process.platform !== 'linux' && 'prlimit is of Linux',
  }, async () => {
    const api = await run(testFolder())
    const allow = (size: string) => execFileSync('prlimit', ['--pid', String(api.child.pid), `--fsize=${size}:`])
    const { cookie } = await signIn(api)
    allow('1')
    for (let turn = 0; turn < 3; turn++) {
      assert.equal((await signIn(api)).status, 503)
      assert.equal((await from(api, 'DELETE', '/console/session', cookie)).status, 503)
      assert.equal(await statusOf(api, cookie), 200)
    }
    allow('unlimited')
    await until(async () => (await from(api, 'GET', '/ready')).status === 200)
    const second = await signIn(api)
    assert.equal(second.status, 200)
    assert.equal((await from(api, 'DELETE', '/console/session', cookie)).status, 200)
    assert.deepEqual([await statusOf(api, cookie), await statusOf(api, second.cookie)], [401, 200])
  })
})
