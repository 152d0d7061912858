import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openWorker } from './worker-stage.ts'

it('GET /components has pages, sorted by id, and by default everything', async () => {
  const worker = await openWorker()
  for (const id of ['b', 'a', 'C', 'd']) await worker.beat(id)
  const list = async (query = '') => {
    const { components, next } = (await worker.ask('GET', `/components${query}`)).body
    return [components.map(({ componentId }: { componentId: string }) => componentId).join(''), next]
  }
  assert.deepEqual(await list(), ['Cabd', null])
  assert.deepEqual(await list('?limit=3'), ['Cab', 'b'])
  assert.deepEqual(await list('?limit=3&cursor=b'), ['d', null])
  assert.deepEqual(await list('?limit=4'), ['Cabd', null])
  // Retired since the last page.
  assert.deepEqual(await list('?limit=1&cursor=aa&componentId=a,b,d'), ['b', 'b'])
  for (const [query, error] of [
    ['limit=0', 'limit must be a whole number from 1 to 500'],
    ['cursor=-', 'cursor must be the `next` value of a previous response'],
  ])
    assert.deepEqual((await worker.ask('GET', `/components?${query}`)).body, { ok: false, error })
  await worker.close()
})
