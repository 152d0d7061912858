import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { kill, type Process, start } from '../support/killed-worker.ts'
import { sized } from '../support/size.ts'
import { json, StatusServer } from '../support/status-servers.ts'
import { administer, type Store, stores } from '../support/stores.ts'
import { atLeast, until } from '../support/until.ts'

const [sqlite, postgres] = stores as [Store, Store]
const timeoutSeconds = sized(2, 4)

/** No file of this process may grow, which SQLite reports as a full disk. */
const allow = ({ child }: Process, size: string) =>
  execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${size}:`])

const refuseWrites = `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
  AS 'BEGIN RAISE EXCEPTION ''the disk is full'' USING ERRCODE = ''disk_full''; END';
  CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON status_components EXECUTE FUNCTION refuse()`

const places = [
  {
    store: sqlite,
    skip: process.platform !== 'linux' && 'prlimit is of Linux',
    fill: async (worker: Process) => void allow(worker, '1'),
    free: async (worker: Process) => void allow(worker, 'unlimited'),
  },
  {
    store: postgres,
    skip: postgres.skip,
    fill: (_: Process, url = '') => administer(refuseWrites, url),
    free: (_: Process, url = '') => administer('DROP TRIGGER refuse ON status_components', url),
  },
]

interface Incident {
  readonly componentId: string
  readonly startedAt: string
}

for (const { store, skip, fill, free } of places)
  describe(`A worker on ${store.name} that cannot save for longer than the heartbeat timeout`, { skip }, () => {
    it('opens incidents only for silent components, from their own deadlines, not for refused heartbeats', {
      timeout: 120_000,
    }, async (t) => {
      const { env, drop } = await store.make()
      const told: string[] = []
      const page = await StatusServer.open(({ body }) => {
        const { componentId, status } = JSON.parse(body)
        told.push(`${componentId} ${status}`)
        return json(200, {})
      })
      const worker = await start({
        ...env,
        HEARTBEAT_TIMEOUT_SECONDS: String(timeoutSeconds),
        STATUS_CHECK_INTERVAL_SECONDS: '1',
        STATUS_SERVICE_KIND: 'native',
        STATUS_SERVICE_URL: page.url,
        STATUS_SERVICE_TOKEN: 'a-token-of-the-page',
      })
      t.after(async () => {
        await kill(worker)
        await page.stop()
        await drop()
      })
      const beat = async (id: string, status = 'operational') => {
        const headers = { 'content-type': 'application/json' }
        const body = JSON.stringify({ status })
        const answer = await fetch(`${worker.url}/heartbeat/${id}`, { method: 'POST', headers, body })
        await answer.arrayBuffer()
        return answer.status
      }
      const get = async (path: string) => (await fetch(worker.url + path)).json()
      const isFailing = async () =>
        /^menagerie_status_save_failing 1$/m.test(await (await fetch(`${worker.url}/metrics`)).text())
      const incidents = async () => ((await get('/incidents')) as { incidents: Incident[] }).incidents
      for (const id of ['same', 'changed', 'silent']) assert.equal(await beat(id), 200)
      await until(async () => told.length === 3)
      const { lastHeartbeatAt } = (await get('/health/silent')) as { lastHeartbeatAt: string }

      await fill(worker, env.DATABASE_URL)
      assert.equal(await beat('changed', 'degraded'), 503)
      const silentFor = async () =>
        ((await get('/health/silent')) as { secondsSinceLastHeartbeat: number }).secondsSinceLastHeartbeat
      await until(async () => {
        assert.equal(await isFailing(), true, 'it is said to fail as long as it does')
        for (const id of ['same', 'changed', 'new']) assert.equal(await beat(id, 'degraded'), 503)
        await atLeast(100)
        return (await silentFor()) >= sized(2, 3) * timeoutSeconds
      })
      assert.deepEqual([await incidents(), told.length], [[], 3], 'what cannot be saved has not happened')

      await free(worker, env.DATABASE_URL)
      await until(async () => {
        for (const id of ['same', 'changed']) await beat(id)
        return (await incidents()).length > 0
      })
      const [incident, ...others] = await incidents()
      assert.deepEqual([incident?.componentId, others], ['silent', []])
      const startedAfter = Date.parse(incident?.startedAt ?? '') - Date.parse(lastHeartbeatAt)
      assert.ok(Math.abs(startedAfter - timeoutSeconds * 1000) < 1_000, `${startedAfter}`)
      await until(async () => told.length === 4)
      assert.equal(told[3], 'silent outage')
      assert.equal(await beat('changed', 'degraded'), 200)
      assert.equal(await isFailing(), false)
    })
  })
