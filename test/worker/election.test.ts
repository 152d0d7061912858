import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StateLease, StateStore } from '../../src/status/state-store.ts'
import { startElection } from '../../src/worker/election.ts'
import { until } from '../support/until.ts'

describe('The log of the election', () => {
  it('says that the worker leads again once it does, also if the lease was lost while it began to lead', async () => {
    const lines: string[] = []
    const say = (...parts: unknown[]) => void lines.push(String(parts.at(-1)))
    let lose = (_: Error) => {}
    const store = { close: async () => {} } as unknown as StateStore
    const lease: StateLease = {
      async acquire(signal, onLost) {
        signal.throwIfAborted()
        lose = onLost
        return store
      },
      close: async () => {},
    }
    let leads = 0
    const election = await startElection({
      lease,
      isEmbedded: false,
      log: { info: say, error: say } as never,
      async lead() {
        leads++
        if (leads === 2) lose(new Error('lost at once'))
        return leads
      },
      resign: async () => {},
    })
    lose(new Error('lost'))
    await until(() => election.leader === 3, 'the third lead')
    const lost = 'the lease was lost, another worker may lead now; this one stands by'
    assert.deepEqual(lines, [lost, lost, 'this worker leads again'])
    await election.stop()
  })
})
