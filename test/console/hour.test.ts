import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { ofTheContract } from '../limits/stage.ts'
import { openWorker } from '../status/worker-stage.ts'
import { noBrowserUnlessFull } from '../support/chromium.ts'
import { fakeClock } from '../support/clock.ts'
import { png } from '../support/pictures.ts'
import { sized } from '../support/size.ts'
import { until } from '../support/until.ts'
import { type ConsoleStage, openConsoleStage, signIn } from './stage.ts'

const minutes = sized(20, 20, 60)
const stepMs = 20_000

/** Paths of the pages that an administrator visits in turn. */
const places = ['overview', 'users', 'keys', 'images', 'audit', 'account', 'reports', 'sessions', 'status']

describe(`${minutes} minutes of an administrator with two tabs and a phone`, { skip: noBrowserUnlessFull }, () => {
  let stage: ConsoleStage
  /** Of the service; the browsers' clocks go along with it. */
  const clock = fakeClock()
  before(async () => {
    const worker = await openWorker()
    await worker.beat('backup')
    stage = await openConsoleStage({
      overrides: { clock },
      env: { ...ofTheContract, SAMPLE_IMAGES: 'true', STATUS_WORKER_URL: worker.url },
    })
  })

  it('meets no 429 and no sign-out under the default limits', async (t) => {
    const seen = new Map<string, number>()
    const watch = (context: BrowserContext) =>
      context.on('response', (reply) => {
        const { pathname } = new URL(reply.url())
        const group = `${reply.status()} ${reply.status() < 500 ? `/${pathname.split('/')[1]}` : pathname}`
        seen.set(group, (seen.get(group) ?? 0) + 1)
      })
    const desk = await stage.browser.newContext()
    const phone = await stage.browser.newContext({ viewport: { width: 390, height: 800 }, isMobile: true })
    for (const context of [desk, phone]) {
      watch(context)
      await context.clock.install({ time: clock.now() })
    }
    const [one, two, small] = [await desk.newPage(), await desk.newPage(), await phone.newPage()]
    for (const page of [one, two, small]) await page.goto(`${stage.service.url}/console#/overview`)
    await signIn(one, 'keeper')
    await two.getByRole('navigation', { name: 'Console' }).waitFor()
    await signIn(small, 'keeper')
    const settled = (page: Page) => page.waitForLoadState('networkidle')
    const visit = async (page: Page, at: number) => {
      await page.evaluate(`location.hash = '/${places[at % places.length]}'`)
      await settled(page)
    }
    for (let minute = 0; minute < minutes; minute++) {
      for (let round = 0; round < 3; round++) {
        await visit(one, minute * 3 + round)
        clock.advance(stepMs)
        for (const page of [one, two, small]) await page.clock.runFor(stepMs)
      }
      await visit(two, minute)
      if (minute % 3 === 0) await visit(small, minute)
      if (minute % 5 === 0) await Promise.all([one, two, small].map((page) => page.reload()))
      if (minute === 10) {
        await one.evaluate("location.hash = '/images?kind=fox'")
        const files = Array.from({ length: 30 }, (_, index) => {
          const buffer = png(40 + index, 40)
          return { name: `mine-${index}.png`, mimeType: 'image/png', buffer }
        })
        await one.locator('input[type=file]').setInputFiles(files)
        await one.getByText('30 of 30 stored').waitFor()
      }
    }
    for (const page of [one, two, small]) {
      await settled(page)
      assert.equal(await page.getByRole('navigation', { name: 'Console' }).count(), 1, 'signed in')
    }
    const all = [...seen.values()].reduce((sum, count) => sum + count, 0)
    t.diagnostic(
      `${all} requests: ${[...seen]
        .sort()
        .map(([group, count]) => `${group} ${count}`)
        .join(', ')}`,
    )
    // What resizes has low priority: on a busy machine it may refuse for now, and the console asks again.
    assert.deepEqual(
      [...seen.keys()].filter((group) => !group.startsWith('503 /i/') && /^(401|403|429|5)/.test(group)),
      [],
    )
    await one.evaluate("location.hash = '/images?kind=fox'")
    await one.locator('.tile').nth(5).waitFor()
    // Those that are near the view: further ones are not asked for.
    const near =
      "[...document.querySelectorAll('.tile')].filter((tile) => tile.getBoundingClientRect().top < innerHeight + 400)"
    const countNear = (part: string): Promise<number> =>
      one.evaluate(`${near}.filter((tile) => tile.querySelector('${part}')).length`)
    await until(async () => {
      await one.clock.runFor(1_000)
      return (await countNear('.picture-place')) === 0
    })
    const [tiles, shown] = [await countNear('*'), await countNear('img, .placeholder')]
    const failed = await one.getByRole('button', { name: 'Cannot be shown' }).count()
    assert.deepEqual([tiles > 5, shown, failed], [true, tiles, 0], `${tiles} pictures`)
    await Promise.all([desk.close(), phone.close()])
  })
})
