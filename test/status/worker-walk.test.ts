import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isSending, restartedPublications } from '../../src/status/publication.ts'
import { type Status, statuses } from '../../src/status/statuses.ts'
import { seedsOr } from '../support/seed.ts'
import { seededRandom } from '../support/uniform.ts'
import { drivenWorker, sender, settled, target } from './driven-worker.ts'

const ids = Array.from({ length: 16 }, (_, n) => `c${n}`)
const steps = 250

/** Random events, concurrent ones too. */
async function walk(seed: number): Promise<void> {
  const random = seededRandom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const among = <Value>(values: readonly Value[]) => values[below(values.length)] as Value
  const { clock, disk, store, pushed, worker, answer, beat, pass, end } = await drivenWorker({
    ...(seed % 2 === 0 && { repeatEveryMs: 20_000 }),
  })
  const underWay: Promise<unknown>[] = []
  const answerOne = () =>
    answer(
      among([
        { kind: 'accepted' },
        { kind: 'accepted' },
        { kind: 'failed', reason: 'refused', retryAfterMs: among([0, 5_000]) },
        { kind: 'uncertain', reason: 'no answer' },
      ] as const),
    )
  for (let step = 0; step < steps; step++) {
    const chance = below(100)
    if (chance < 50) underWay.push(beat(among(ids), among(statuses)))
    else if (chance < 70) answerOne()
    else if (chance < 76) underWay.push(worker.retire(among(ids), null, sender).catch(() => {}))
    else if (chance < 84) disk.isFullOnce = true
    else if (chance < 92) await settled()
    else if (chance < 97) await pass(1_000)
    else clock.advance(among([1_000, 30_000]))
  }
  disk.isFullOnce = false
  await Promise.all(underWay)

  // Then a healthy page, a healthy disk and constant heartbeats.
  const said = new Map<string, Status>(ids.map((id) => [id, among(statuses)]))
  for (let round = 0; round < 6; round++) {
    for (const [id, status] of said) assert.equal(await beat(id, status), 200)
    for (let turns = 0; turns < ids.length; turns++) {
      await settled()
      answer({ kind: 'accepted' })
    }
    await pass(5_000)
  }
  for (let turns = 0; turns < 2 * ids.length; turns++) {
    answer({ kind: 'accepted' })
    await settled()
  }
  assert.equal(worker.unpublished(), 0)
  for (const { id, incident, publications } of worker.components())
    for (const each of publications)
      assert.deepEqual([isSending(each), incident, each.publishedStatus], [false, null, said.get(id)], id)
  assert.deepEqual(await store.incidents({ componentId: null, isOpen: true, limit: 9 }), [])

  const last = new Map<string, { sequence: number; status: Status }>()
  for (const { componentId, sequence, status, previousStatus } of pushed) {
    const before = last.get(componentId)
    // A repetition repeats its number.
    if (status === previousStatus) continue
    assert.ok(!before || sequence >= before.sequence, 'no number comes after a higher one')
    if (before?.sequence === sequence) assert.equal(status, before.status, 'a number stands for one status')
    last.set(componentId, { sequence, status })
  }
  const shown = worker.components()
  await worker.stop()
  const timeless = (all: typeof shown) =>
    all.map((each) => ({
      ...each,
      deadline: 0,
      upSince: 0,
      publications: restartedPublications(each.publications, [target], { wall: clock.now(), monotonic: 0 }),
    }))
  assert.deepEqual(timeless([...(await store.load())]), timeless(shown))
  await end()
}

describe('A worker on a random walk', () => {
  for (const seed of seedsOr(1, 2, 3, 4, 5, 6, 7, 8))
    it(`ends with everything as reported, published and saved: seed ${seed}`, () => walk(seed))
})
