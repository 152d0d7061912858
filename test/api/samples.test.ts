import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fillWithSamples } from '../../src/api/samples.ts'
import { openFolderStore } from '../../src/drivers/objects/folder/folder.ts'
import { builtInKinds } from '../../src/images/kinds.ts'
import { kinds } from '../contract.ts'
import { putInto } from '../support/object-stores.ts'
import { password, startService } from '../support/service.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

const picturesOf = (kind: string) => {
  const folder = new URL(`../../samples/${kind}`, import.meta.url)
  return existsSync(folder) ? readdirSync(folder).length : 0
}

test('an empty store is filled with the pictures in samples/, and a kind without pictures stays empty', async () => {
  const env = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password, SAMPLE_IMAGES: 'true' }
  const service = await startService({ env })
  const { accessToken: token } = (await service.login('keeper')).body
  const logged = (text: string) => service.logged().find(({ msg }) => msg === text)
  await until(() => logged('filled the empty store with sample images'))
  const expected = kinds.map((kind) => [kind, picturesOf(kind)] as const)
  const found = async () => {
    const { body } = await service.request('GET', '/images', { token })
    return body.kinds.map(({ kind, count }: { kind: string; count: number }) => [kind, count])
  }
  const sum = (counts: readonly (readonly [string, number])[]) => counts.reduce((so, [, count]) => so + count, 0)
  await until(async () => sum(await found()) === sum(expected))
  assert.deepEqual(await found(), expected)
  assert.ok(picturesOf('fox') > 0)
})

test('a folder whose images are in another bucket is not filled, which is logged', async (t) => {
  const dataDir = testFolder()
  const store = await openFolderStore({ dataDir })
  t.after(() => store.close())
  for (const bucket of ['images', 'zoo', 'empty']) await store.createBucket(bucket)
  await putInto(store, 'empty')('note.txt', Buffer.from('no image'))
  await putInto(store, 'zoo')('fox/a.png', Buffer.from('a fox'))
  const log = { info: t.mock.fn(), warn: t.mock.fn() }
  const filling = { store, bucket: 'images', kinds: builtInKinds, dataDir, log: log as never, signal: t.signal }
  await fillWithSamples(filling)
  assert.deepEqual(
    log.warn.mock.calls.map(({ arguments: [, text] }) => text),
    ['there are no images in images, but in zoo: check S3_BUCKET'],
  )
  const [page = []] = await Array.fromAsync(store.list('images', { prefix: '', isFlat: false }))
  assert.deepEqual([page, log.info.mock.callCount()], [[], 0])
})

test('two instances may fill one folder at once, without an error', async (t) => {
  const dataDir = testFolder()
  const store = await openFolderStore({ dataDir })
  t.after(() => store.close())
  await store.createBucket('images')
  const log = { info: t.mock.fn(), error: t.mock.fn() }
  const filling = { store, bucket: 'images', kinds: builtInKinds, dataDir, log: log as never, signal: t.signal }
  await Promise.all([fillWithSamples(filling), fillWithSamples(filling)])
  assert.deepEqual([log.info.mock.callCount(), log.error.mock.callCount()], [2, 0])
  assert.equal(existsSync(`${dataDir}/objects/.samples`), false)
})
