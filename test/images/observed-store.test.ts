import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ObjectReading, ObjectStore, Upload } from '../../src/images/object-store.ts'
import { isStoreFailure, observeStore } from '../../src/images/observed-store.ts'
import { createMetrics } from '../../src/lib/metrics.ts'
import { createOperations } from '../../src/lib/operations.ts'
import { objectStoreContract } from '../drivers/objects/objects.contract.ts'
import { objectListContract } from '../drivers/objects/objects-list.contract.ts'
import { fakeClock } from '../support/clock.ts'
import { parseExposition, valueIn } from '../support/exposition.ts'
import { folder, never, type ObjectStage } from '../support/object-stores.ts'
import { isFullSize } from '../support/size.ts'

function observed(real: ObjectStore) {
  const metrics = createMetrics()
  const of = createOperations(metrics, {
    clock: fakeClock(),
    duration: { name: 'took_seconds', help: 'x' },
    errors: { name: 'errors_total', help: 'x' },
    isFailure: isStoreFailure,
  })
  const told = (operation: string) => {
    const found = parseExposition(metrics.render())
    return [valueIn(found, 'took_seconds_count', { operation }), valueIn(found, 'errors_total', { operation })]
  }
  return { store: observeStore(real, of), told }
}

const stage: ObjectStage = {
  ...folder,
  name: 'the folder, observed',
  async make() {
    const made = await folder.make()
    return { ...made, store: observed(made.store).store }
  },
}
// Every test of the service uses an observed store; only its listings have a test below.
if (isFullSize) {
  objectStoreContract(stage)
  objectListContract(stage)
}

const place = { bucket: 'images', name: 'fox/a.png' }
const head = { etag: 'a', size: 3, modified: 0, type: null }

/** A store whose methods all fail except these. */
const scripted = (methods: Partial<ObjectStore>) => observed(methods as ObjectStore)

async function* pieces(...all: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const each of all) {
    if (typeof each !== 'string') throw each
    yield Buffer.from(each)
  }
}

const reading = (body: Partial<ObjectReading>): Pick<ObjectStore, 'read'> => ({
  read: async () => ({ head, isGivenAway: true, ...body }) as ObjectReading,
})

async function gather(all: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const each of all) text += each
  return text
}

describe('An observed store', () => {
  it('counts a body that breaks off, and passes on what came', async () => {
    const { store, told } = scripted(
      reading({ chunks: () => pieces('ab', new Error('cut')), whole: () => Promise.reject(new Error('cut')) }),
    )
    const found = await store.read(place)
    assert.deepEqual([found?.head, found?.isGivenAway], [head, true])
    await assert.rejects(gather((found as ObjectReading).chunks()), /cut/)
    assert.deepEqual(
      [told('read'), told('body')],
      [
        [1, 0],
        [0, 1],
      ],
    )
    await assert.rejects((found as ObjectReading).whole(), /cut/)
    assert.deepEqual(told('body'), [1, 2])
  })

  it('does not count a client that leaves as a failure', async () => {
    const leaving = new AbortController()
    const gone = async (): Promise<never> => {
      throw leaving.signal.reason
    }
    const { store, told } = scripted({
      ...reading({ chunks: () => pieces(new Error('let go')), whole: gone }),
      head: gone,
      readRange: gone,
      write: gone,
    })
    const found = (await store.read(place, leaving.signal)) as ObjectReading
    leaving.abort()
    const upload: Upload = { ...place, type: 'image/png', size: 3, body: pieces('abc'), signal: leaving.signal }
    await assert.rejects(store.head(place, leaving.signal))
    await assert.rejects(store.readRange(place, head, { first: 0, last: 1 }, leaving.signal))
    await assert.rejects(store.write(upload))
    await assert.rejects(gather(found.chunks()))
    await assert.rejects(found.whole())
    const all = ['head', 'readRange', 'write', 'body'].map((operation) => told(operation)[1])
    assert.deepEqual(all, [0, 0, 0, 0])
  })

  it('counts an upload that the store breaks off, and not one that the client aborts', async () => {
    const taking = async ({ body }: Upload): Promise<never> => {
      throw new Error(`it cannot keep ${await gather(body)}`)
    }
    const { store, told } = scripted({ write: taking })
    const upload = { ...place, type: 'image/png', size: 3, signal: never }
    await assert.rejects(store.write({ ...upload, body: pieces('a', new Error('left')) }), /left/)
    assert.deepEqual(told('write'), [1, 0])
    await assert.rejects(store.write({ ...upload, body: pieces('a', 'b') }), /cannot keep ab/)
    assert.deepEqual(told('write'), [2, 1])
  })

  it('counts each page of a listing, and ends with it', async () => {
    let isEnded = false
    async function* list() {
      try {
        yield []
        yield []
        throw new Error('lost')
      } finally {
        isEnded = true
      }
    }
    const { store, told } = scripted({ list })
    for await (const _ of store.list('images', { prefix: '', isFlat: true })) break
    assert.deepEqual([isEnded, told('list')], [true, [1, 0]])
    const all = Array.fromAsync(store.list('images', { prefix: '', isFlat: true }))
    await assert.rejects(all, /lost/)
    assert.deepEqual(told('list'), [4, 1])
  })
})
