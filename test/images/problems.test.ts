import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { allObjectStores, type Put } from '../support/object-stores.ts'
import * as of from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { startImages } from './image-stage.ts'

for (const objects of allObjectStores)
  describe(`Files with a problem on ${objects.name}`, { skip: objects.skip }, () => {
    const png = of.png(3, 2)
    const start = (fill: (put: Put) => Promise<void>) =>
      startImages(objects, { env: { CATALOGUE_REFRESH_SECONDS: '1' }, fill })
    const unserved = [
      { name: 'bird/more/', problem: 'nested' },
      { name: 'fox/my fox (1).png', problem: 'badName' },
      { name: 'fox/none.png', problem: 'empty' },
      { name: 'fox/Füchse.png', problem: 'badName' },
    ].sort((one, other) => (one.name < other.name ? -1 : 1))

    it('are listed with the reason: what a listing found and nothing serves, also when it is put right', async () => {
      const stage = await start(async (put) => {
        for (const name of [
          'fox/a.png',
          'fox/my fox (1).png',
          'fox/Füchse.png',
          'bird/more/a.png',
          'bird/more/b/c.png',
        ])
          await put(name, png, { type: 'image/png' })
        await put('fox/none.png', Buffer.alloc(0), { type: 'image/png' })
      })
      const problems = async () => (await stage.get('/admin/images/problems')).body
      await until(async () => (await problems()).count === 4)
      assert.deepEqual(await problems(), { status: 200, count: 4, files: unserved })
      for (const name of [
        'fox/my fox (1).png',
        'fox/Füchse.png',
        'bird/more/a.png',
        'bird/more/b/c.png',
        'fox/none.png',
      ])
        await stage.store.remove({ bucket: stage.bucket, name })
      await until(async () => (await problems()).count === 0)
    })

    it('are listed when no size can be made of an image, until it is replaced or deleted', async () => {
      const whole = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#c03020' } })
        .png()
        .toBuffer()
      const stage = await start(async (put) => {
        for (const name of ['a', 'b', 'c']) await put(`fox/${name}.png`, png, { type: 'image/png' })
        await put('fox/text.png', Buffer.from('no image'), { type: 'image/png' })
        await put('fox/drawing.svg', Buffer.from('<svg width="5" height="5"/>'), { type: 'image/svg+xml' })
      })
      const problems = async () => {
        const { count, files } = (await stage.get('/admin/images/problems')).body
        assert.equal(count, files.length)
        return files
          .map(({ name, problem }: { name: string; problem: string }) => `${name} ${problem}`)
          .sort()
          .join()
      }
      const size = async (name: string) => (await stage.get(`/i/fox/${name}?w=160`)).status
      assert.equal(await problems(), '')
      assert.deepEqual(await Promise.all(['a.png', 'b.png', 'c.png', 'drawing.svg'].map(size)), [422, 422, 422, 200])
      assert.equal(await size('text.png'), 422)
      await until(
        async () =>
          (await problems()) ===
          'fox/a.png undecodable,fox/b.png undecodable,fox/c.png undecodable,fox/text.png undecodable',
      )
      await stage.upload('fox/a.png', whole)
      await stage.remove('fox/b.png')
      await stage.remove('fox/text.png')
      assert.equal(await problems(), 'fox/c.png undecodable')
      assert.equal(await size('a.png'), 200)
      await stage.upload('fox/b.png', png)
      await until(async () => (await problems()) === 'fox/b.png undecodable,fox/c.png undecodable')
    })
  })
