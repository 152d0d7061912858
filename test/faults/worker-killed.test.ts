import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../status/worker-stage.ts'
import { kill, start } from '../support/killed-worker.ts'
import { seedOr } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { json, StatusServer } from '../support/status-servers.ts'
import { testFolder } from '../support/test-folder.ts'
import { seededRandom } from '../support/uniform.ts'

const kills = Number(process.env.WORKER_KILLS || sized(1, 4, 15))
const seed = seedOr(7)
const components = Array.from({ length: 12 }, (_, index) => `c${index}`)
const statuses = ['operational', 'degraded', 'partial', 'outage']

describe('A worker that is killed at any moment', () => {
  it(`loses no acknowledged change, and repeats only pushes with an unknown outcome: seed ${seed}`, {
    timeout: (kills + 2) * 30_000,
  }, async () => {
    const folder = testFolder()
    const random = seededRandom(seed)
    /** What each of two targets accepted, with sequence numbers, and those whose response was lost. */
    const taken: { target: number; id: string; status: string; sequence: number }[] = []
    const open = (target: number) =>
      StatusServer.open(({ body }) => {
        const { componentId, status, sequence } = JSON.parse(body)
        taken.push({ target, id: componentId, status, sequence })
        return json(200, {})
      })
    const [page, other] = [await open(0), await open(1)]
    const env = {
      DATA_DIR: folder,
      STATUS_SERVICE_KIND: 'native',
      STATUS_SERVICE_URL: page.url,
      STATUS_SERVICE_TOKEN: 'a-token-of-the-page',
      STATUS_TARGETS: 'other',
      STATUS_TARGET_OTHER_KIND: 'native',
      STATUS_TARGET_OTHER_URL: other.url,
    }
    /** The last acknowledged status of each, and later ones without a response. */
    const answered = new Map<string, string>()
    const unsure = new Map<string, Set<string>>()
    const beat = async (url: string, id: string, status: string) => {
      unsure.set(id, (unsure.get(id) ?? new Set()).add(status))
      const reply = await fetch(`${url}/heartbeat/${id}`, {
        method: 'POST',
        body: JSON.stringify({ status }),
        headers: { 'content-type': 'application/json' },
      })
      await reply.arrayBuffer()
      if (reply.status !== 200) throw new Error(`answered ${reply.status}`)
      answered.set(id, status)
      unsure.delete(id)
    }
    const snapshots = async (url: string) => {
      const { components: found } = (await (await fetch(`${url}/health`)).json()) as {
        components: { componentId: string; lastReportedStatus: string; publishedStatus: string | null }[]
      }
      return new Map(found.map((each) => [each.componentId, each]))
    }

    for (let round = 0; round < kills; round++) {
      const worker = await start(env)
      const found = await snapshots(worker.url)
      for (const [id, status] of answered) {
        const last = found.get(id)?.lastReportedStatus ?? 'nothing'
        assert.ok(last === status || unsure.get(id)?.has(last), `${id}: ${status} was answered, ${last} is known`)
      }
      const driving = Promise.allSettled(
        components.map(async (id) => {
          for (;;) await beat(worker.url, id, statuses[Math.floor(random() * statuses.length)] as string)
        }),
      )
      // After a number of pushes rather than a time.
      const enough = taken.length + 1 + Math.floor(random() * 60)
      await until(async () => taken.length >= enough)
      await kill(worker)
      await driving
    }

    const last = await start(env)
    for (const id of components) await beat(last.url, id, 'maintenance')
    await until(async () =>
      [...(await snapshots(last.url)).values()].every(({ publishedStatus }) => publishedStatus === 'maintenance'),
    )
    const ownOf = (target: number, id: string) => taken.filter((each) => each.id === id && each.target === target)
    await until(async () => components.every((id) => ownOf(1, id).at(-1)?.status === 'maintenance'))
    for (const [target, id] of [0, 1].flatMap((each) => components.map((id) => [each, id] as const))) {
      const own = ownOf(target, id)
      assert.equal(own.at(-1)?.status, 'maintenance')
      for (const [index, { status, sequence }] of own.entries()) {
        const before = own[index - 1]
        if (!before) continue
        assert.ok(sequence >= before.sequence, `${id}: ${sequence} after ${before.sequence}`)
        if (sequence === before.sequence) assert.equal(status, before.status)
      }
      const repeated = own.filter(({ sequence }, index) => own[index - 1]?.sequence === sequence).length
      assert.ok(repeated <= kills, `${id}: ${repeated} numbers came twice in ${kills} kills`)
    }
    await kill(last)
    await Promise.all([page.stop(), other.stop()])
  })
})
