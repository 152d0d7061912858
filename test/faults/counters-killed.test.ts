import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { atEnd } from '../support/at-end.ts'
import { type Api, end, start } from '../support/killed-service.ts'
import { type Client, clientOf } from '../support/owner-client.ts'
import { sized } from '../support/size.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

const kills = Number(process.env.CRASH_KILLS || sized(1, 2, 5))
const clients = 8

describe(`kill -9 while ${clients} clients are counted, ${kills} times`, () => {
  it('loses at most what was not written yet, counts nothing twice, and every total is the sum of its groups', {
    timeout: (kills + 2) * 30_000,
  }, async (t) => {
    const dataDir = testFolder()
    const run = async () => {
      const api = await start(dataDir)
      atEnd(() => end(api))
      return { api, client: await clientOf(api) }
    }
    const stored = () => {
      const database = new DatabaseSync(join(dataDir, 'menagerie.db'), { readOnly: true })
      const row = database.prepare("SELECT auth, admin, images, total FROM users WHERE username = 'counted'").get()
      database.close()
      const { auth, admin, images, total } = (row ?? assert.fail()) as Record<string, number>
      assert.equal(Number(auth) + Number(admin) + Number(images), total)
      return Number(total)
    }
    let { api, client } = await run()
    const token: string = JSON.parse((await client.register('counted')).text).accessToken
    await until(() => stored() === 1)
    let known = 1
    let lost = 0
    for (let kill = 0; kill < kills; kill++) {
      const counts = { answered: 0, sent: 0 }
      const asking = Array.from({ length: clients }, () => ask(api, client, token, counts))
      // Some are written while others are counted.
      const enough = known + 100
      await until(() => stored() >= enough, 'counts are written')
      const seen = stored()
      api.child.kill('SIGKILL')
      await Promise.all(asking)
      ;({ api, client } = await run())
      const found = stored()
      assert.ok(found >= seen, `${found} after ${seen}`)
      assert.ok(found <= known + counts.sent, `${found} of ${known + counts.sent}`)
      lost += Math.max(0, known + counts.answered - found)
      known = found
    }
    t.diagnostic(`${known} counted, ${lost} lost`)
  })
})

/** One request after another, of each group that is counted, until the service is killed. */
async function ask(api: Api, client: Client, token: string, counts: { answered: number; sent: number }): Promise<void> {
  const paths = ['/images/fox/random', '/images/bird', '/auth/me', '/admin/users']
  for (let turn = 0; ; turn++) {
    counts.sent++
    const { status } = await client.ask('GET', paths[turn % paths.length] ?? '', { token })
    if (status === 0) return
    assert.ok([200, 403, 404].includes(status), `${status} with ${api.url}`)
    counts.answered++
  }
}
