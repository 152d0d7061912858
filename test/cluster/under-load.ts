import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { png } from '../support/pictures.ts'
import { send } from '../support/send.ts'
import { until } from '../support/until.ts'
import { startWriter } from './acknowledged.ts'
import type { Cluster, Member } from './cluster.ts'
import { type Load, startLoad } from './load.ts'

export const perSecond = 50

export interface Loaded {
  /** Resolves when each writer has uploaded this many more images and registered as many accounts. */
  more(count: number): Promise<void>
  /** What the writers have tried so far. */
  tries(): { uploads: number; reads: number }
}

export interface UnderLoad {
  readonly cluster: Cluster
  /** The owner's token. */
  readonly keeper: string
  readonly act: (loaded: Loaded) => Promise<unknown>
  /** Those that `act` ends. */
  readonly ended?: readonly Member[]
}

let runs = 0

/** Signs in the owner, and uploads an image that can be chosen at random. */
export async function prepare({ url, owner, bucket }: Cluster): Promise<string> {
  const token: string = (await send('POST', `${url}/auth/login`, { body: owner })).body.accessToken
  const headers = { authorization: token, 'content-type': 'image/png' }
  const path = `/admin/s3/upload?bucketName=${bucket}&objectName=pat/a.png`
  assert.equal((await send('POST', url + path, { headers, body: png(2, 1) })).status, 200)
  return token
}

/**
 * Runs `act` on a cluster under writes and requests for random images. Afterwards everything acknowledged is there, no old
 * token was accepted, no image was served with other bytes, no valid token was refused, /health answered throughout, and
 * every process still runs without a restart. Returns the random choices that failed.
 */
export async function underLoad(t: TestContext, { cluster, keeper, act, ended = [] }: UnderLoad): Promise<string[]> {
  const { url, instances, workers } = cluster
  const lasting = [...instances, ...workers].filter((member) => !ended.includes(member))
  const pids = () => lasting.map(({ process }) => process?.pid)
  const before = pids()
  const run = ++runs
  const writers = [0, 1, 2, 3].map((index) => startWriter(cluster, keeper, `w${run}-${index}`))
  const random = () => ({ method: 'GET', path: '/images/pat/random', token: keeper }) as const
  const load = startLoad({ url, perSecond, next: random, isKeptAlive: true })
  const health = instances
    .filter((instance) => lasting.includes(instance))
    .map((instance) =>
      startLoad({
        url: instance.url,
        perSecond: 5,
        isKeptAlive: true,
        next: () => ({ method: 'GET', path: '/health' }),
      }),
    )
  const loads = [load, ...health]
  const stop = () => Promise.all([...loads, ...writers].map((each) => each.stop()))
  t.after(stop)

  const more = async (count: number) => {
    const enough = writers.map(({ objects }) => objects.size + count)
    await until(
      () =>
        writers.every(
          ({ objects, accounts }, index) => Math.min(objects.size, accounts.length) >= Number(enough[index]),
        ),
      `${count} more uploads of each writer are acknowledged`,
    )
  }
  const tries = () => ({
    uploads: writers.reduce((sum, { tries }) => sum + tries.uploads, 0),
    reads: writers.reduce((sum, { tries }) => sum + tries.reads, 0),
  })
  await more(3)
  await act({ more, tries })
  const endedAt = performance.now()
  const sinceEnd = () => Math.round(performance.now() - endedAt)
  let down: readonly string[] = []
  await until(
    async () => {
      down = await checksDown(instances)
      return down.length === 0
    },
    () => `every check is up, but ${down}`,
  )
  const upMs = sinceEnd()
  await more(1)
  const writtenMs = sinceEnd()
  await more(2)
  await stop()
  for (const { wrong } of writers) assert.deepEqual(wrong, [])
  for (const writer of writers) await writer.verify()
  for (const { failed } of health) assert.deepEqual(kinds(failed), [])
  const refused = kinds(load.failed).filter((each) => /: 4\d\d/.test(each))
  assert.deepEqual(refused, [])
  assert.deepEqual(pids(), before)
  const acknowledged = writers.reduce((sum, { accounts, objects }) => sum + accounts.length + objects.size, 0)
  const slowest = (of: readonly Load[]) => Math.round(Math.max(0, ...of.map(({ slowestMs }) => slowestMs)))
  t.diagnostic(
    `${acknowledged} acknowledged; ${load.failed.length} of ${load.count} random choices failed, the slowest took ${slowest([load])} ms, /health ${slowest(health)}; every check is up after ${upMs} ms, every writer has written after ${writtenMs}`,
  )
  return kinds(load.failed)
}

const kinds = (failed: readonly string[]) => [...new Set(failed)]

async function checksDown(instances: readonly Member[]): Promise<string[]> {
  const checks = await Promise.all(
    instances.map(async ({ name, url }) => {
      const { body } = await send('GET', `${url}/ready`)
      return Object.entries(body.checks).flatMap(([check, state]) =>
        state === 'up' ? [] : [`${name}: ${check} ${state}`],
      )
    }),
  )
  return checks.flat()
}
