import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPeriodImages } from '../../../src/drivers/accounts/period-images.ts'
import type { PeriodImage } from '../../../src/images/positions.ts'
import { stores } from '../../support/stores.ts'
import { withDatabase } from './stage.ts'

for (const store of stores) {
  describe(`images of periods on ${store.name}`, { skip: store.skip }, () => {
    const stage = withDatabase(store)
    const imageOf = (name: string, filename: string, more: Partial<PeriodImage> = {}): PeriodImage => ({
      name,
      period: 86_400_000,
      kind: 'fox',
      filename,
      chosenAt: stage.clock.now(),
      userId: 'one',
      positions: [['fox', { round: 2, place: Number.MAX_SAFE_INTEGER }]],
      ...more,
    })

    const insert = async (images: readonly PeriodImage[]) => {
      const rows = images.map(({ chosenAt, positions, userId, ...image }) => ({
        ...image,
        positions: JSON.stringify(positions),
        chosen_at: chosenAt,
        user_id: userId,
      }))
      await stage.database.kysely.insertInto('period_images').values(rows).execute()
    }

    it('of eight instances that save at the same time one wins, and all learn which, the first time and later', async () => {
      const { save, find } = createPeriodImages(stage.database)
      let known: PeriodImage | null = null
      for (const period of [1, 2, 3]) {
        const drawn = Array.from({ length: 8 }, (_, index) => imageOf('day UTC fox', `${index}.png`, { period }))
        const saved: (PeriodImage | null)[] = await Promise.all(drawn.map((next) => save(next, known)))
        const [first] = saved
        assert.ok(first && drawn.some((each) => each.filename === first.filename))
        for (const each of saved) assert.deepEqual(each, first)
        assert.deepEqual(await find('day UTC fox'), first)
        known = first
      }
      // One that knows only the first period.
      const late = imageOf('day UTC fox', 'late.png', { period: 3 })
      assert.deepEqual(await save(late, imageOf('day UTC fox', '0.png', { period: 1 })), known)
      assert.deepEqual(await save(late, null), known)
    })

    it('are at most 1,000, of which the one that was chosen longest ago goes', async () => {
      const { save, find } = createPeriodImages(stage.database)
      const images = Array.from({ length: 1_000 }, (_, index) => imageOf(`name ${index}`, 'a.png'))
      await stage.database.kysely.deleteFrom('period_images').execute()
      await insert(images)
      stage.clock.advance(1)
      const oldest = images[500] as PeriodImage
      for (const each of images)
        if (each !== oldest && each.name < 'name 2') await save(imageOf(each.name, 'b.png'), each)
      await save({ ...oldest, chosenAt: 1, filename: 'c.png' }, oldest)
      const added = imageOf('name 1000', 'a.png')
      assert.deepEqual(await save(added, null), added)
      assert.deepEqual([await find(oldest.name), await find(added.name)], [null, added])
      const { count } = await stage.database.kysely
        .selectFrom('period_images')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      assert.equal(Number(count), 1_000)
    })

    it('of whoever has most go first, also those of nobody', async () => {
      const { save, find } = createPeriodImages(stage.database)
      const fill = async (many: number, userId: string | null) => {
        const chosen = (index: number) => ({ userId, chosenAt: stage.clock.now() + index })
        const images = Array.from({ length: many }, (_, index) => imageOf(`${userId} ${index}`, 'a.png', chosen(index)))
        await insert(images)
      }
      const present = async (...names: string[]) =>
        (await Promise.all(names.map((name) => find(name)))).map((each) => each !== null)
      await stage.database.kysely.deleteFrom('period_images').execute()
      await fill(400, 'modest')
      await fill(600, null)
      stage.clock.advance(1_000)
      await save(imageOf('new', 'a.png', { userId: 'modest' }), null)
      assert.deepEqual(await present('modest 0', 'null 0', 'null 1', 'new'), [true, false, true, true])
      await stage.database.kysely.deleteFrom('period_images').where('user_id', 'is', null).execute()
      await fill(599, 'greedy')
      stage.clock.advance(1_000)
      for (const name of ['newer', 'newest']) await save(imageOf(name, 'a.png', { userId: 'greedy' }), null)
      const names = ['modest 0', 'greedy 0', 'greedy 1', 'greedy 2', 'newer', 'newest']
      assert.deepEqual(await present(...names), [true, false, false, true, true, true])
    })
  })
}
