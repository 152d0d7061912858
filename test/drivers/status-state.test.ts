import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stateContract } from './status-state.contract.ts'
import { numberedIn, startHolder, stateStages } from './status-state-stage.ts'

for (const stage of stateStages) stateContract(stage)

const kills = 10

for (const stage of stateStages) {
  describe(`a worker on ${stage.name} that is killed while it saves`, { skip: stage.skip }, () => {
    it('has lost nothing that was answered, and half of nothing', async () => {
      const place = await stage.make()
      let known = 0
      for (let kill = 0; kill < kills; kill++) {
        const worker = await startHolder(place, { writesFrom: known + 1 })
        let answered = known
        // A moment that is another one each time, in the middle of what follows the answer.
        for (const wanted = known + 1 + Math.floor(Math.random() * 40); answered < wanted; )
          answered = Number((await worker.lines.next()).value)
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 4))
        worker.child.kill('SIGKILL')
        for await (const line of { [Symbol.asyncIterator]: () => worker.lines }) answered = Number(line)
        await worker.kill()
        const { store, close } = await place.acquire()
        const found = await numberedIn(store)
        assert.ok(found === answered || found === answered + 1, `${found} there, ${answered} answered`)
        known = found
        await close()
      }
      await place.drop()
    })
  })
}
