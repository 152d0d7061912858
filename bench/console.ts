import { cpSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { launchOptions } from '../test/support/launch-options.ts'
import { seedCrowd } from './crowd.ts'
import { type Gate, median } from './figures.ts'
import { owner, ownerSettings } from './people.ts'
import { startApi } from './server.ts'

const [users, images] = [1000, 3000]
const sample = join(import.meta.dirname, '../samples/fox/fox-asleep.png')
const limits = [
  ['first paint', 1000, 'ms'],
  ['largest contentful paint', 1000, 'ms'],
  [`longest task while scrolling ${users} users`, 100, 'ms'],
  [`longest task while scrolling ${images} images`, 100, 'ms'],
] as const

/** In a browser with an empty cache, on the default embedded stores. */
export async function benchConsole({ folder, starts }: { folder: string; starts: number }): Promise<Gate[]> {
  const dataDir = mkdtempSync(join(folder, 'console-'))
  await seedCrowd({ DATA_DIR: dataDir, DATABASE_URL: null }, users)
  mkdirSync(join(dataDir, 'objects/images/fox'), { recursive: true })
  for (let i = 0; i < images; i += 1) cpSync(sample, join(dataDir, `objects/images/fox/${i}.png`))
  const server = await startApi(folder, { DATA_DIR: dataDir, ...ownerSettings })
  const browser = await chromium.launch(launchOptions)
  const visits: number[][] = []
  while (visits.length < starts) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    visits.push(await visit(page, `http://127.0.0.1:${server.port}/console`))
    await page.close()
  }
  await browser.close()
  await server.stop()
  return limits.map(([name, most, unit], place) => {
    const figure = median(visits.map((figures) => figures[place] ?? Number.NaN))
    return {
      promise: `console: ${name} at most ${most} ${unit}`,
      figure: `${figure.toFixed()} ${unit}`,
      held: figure <= most,
    }
  })
}

async function visit(page: Page, url: string): Promise<number[]> {
  await page.addInitScript(`largestMs = taskMs = 0
    const watch = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type })
    watch('largest-contentful-paint', ({ startTime }) => { largestMs = startTime })
    watch('longtask', ({ duration }) => { taskMs = Math.max(taskMs, duration) })`)
  await page.goto(url, { waitUntil: 'networkidle' })
  const paints = await page.evaluate<number[]>(`[performance.getEntriesByName('first-paint')[0].startTime, largestMs]`)
  await page.getByLabel('Username').fill(owner.username)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('canvas').waitFor()
  return [...paints, await scroll(page, '/users'), await scroll(page, '/images?kind=fox')]
}

/** The longest task in ms; the browser reports none below 50. */
async function scroll(page: Page, path: string): Promise<number> {
  await page.evaluate(`location.hash = '${path}'`)
  await page.locator('tbody tr, .tile').nth(20).waitFor()
  await page.evaluate('taskMs = 0')
  for (let i = 0; i < 60; i += 1) {
    await page.mouse.wheel(0, 600)
    await page.evaluate('new Promise(requestAnimationFrame)')
  }
  return page.evaluate<number>('taskMs')
}
