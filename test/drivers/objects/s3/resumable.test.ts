import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import type { ObjectReading, ObjectStore } from '../../../../src/images/object-store.ts'
import { ScriptedS3 } from '../../../support/scripted-s3.ts'
import { sized } from '../../../support/size.ts'
import { bucket, openStore } from './s3-stage.ts'

const places = 48
const large = randomBytes(sized(1, 4) * 1024 * 1024)
const small = randomBytes(1_000)

/** A reader that took one chunk, and takes no more until told to. */
async function begin(reading: ObjectReading) {
  const pieces = reading.chunks()[Symbol.asyncIterator]()
  const taken: Uint8Array[] = [(await pieces.next()).value]
  return {
    async goOn(): Promise<Buffer> {
      for (let next = await pieces.next(); !next.done; next = await pieces.next()) taken.push(next.value)
      return Buffer.concat(taken)
    },
    leave: () => pieces.return?.(undefined),
  }
}

describe('Readers of S3 that pause', () => {
  let scripted: ScriptedS3
  let store: ObjectStore
  before(async () => {
    scripted = await ScriptedS3.open(bucket)
    ;({ store } = await openStore(scripted.endpoint, { times: { restMs: 20 } }))
    scripted.put(bucket, 'fox/large.png', large)
    scripted.put(bucket, 'fox/small.png', small)
  })

  const open = async (name: string) => (await store.read({ bucket, name })) ?? assert.fail(name)
  const crowd = () => Promise.all(Array.from({ length: places }, async () => begin(await open('fox/large.png'))))

  it('do not keep others from reading, and resume at the same byte', async () => {
    const readers = await crowd()
    assert.deepEqual(await (await open('fox/small.png')).whole(), small)
    for (const reader of readers) assert.ok((await reader.goOn()).equals(large))
    assert.ok(scripted.mostSockets <= 64, String(scripted.mostSockets))
  })

  it('fail if the object is overwritten meanwhile, and never get a mix', async () => {
    const readers = await crowd()
    await (await open('fox/small.png')).whole()
    scripted.put(bucket, 'fox/large.png', randomBytes(large.length))
    const outcomes = await Promise.allSettled(readers.map((reader) => reader.goOn()))
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') assert.ok(outcome.value.equals(large))
      else assert.match(outcome.reason.message, /overwritten/)
    }
    assert.ok(outcomes.some(({ status }) => status === 'rejected'))
  })

  it('free their sockets when they leave', async () => {
    const readers = await crowd()
    await Promise.all(readers.map((reader) => reader.leave()))
    assert.deepEqual(await (await open('fox/small.png')).whole(), small)
    assert.equal(scripted.inFlight, 0)
  })

  it('keep their sockets while nobody else needs one', async () => {
    scripted.put(bucket, 'fox/large.png', large)
    const reader = await begin(await open('fox/large.png'))
    const asked = scripted.requests.length
    await Promise.all(Array.from({ length: 20 }, async () => (await open('fox/small.png')).whole()))
    assert.ok((await reader.goOn()).equals(large))
    assert.equal(scripted.requests.length, asked + 20)
  })
})
