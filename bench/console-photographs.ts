import { linkSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { launchOptions } from '../test/support/launch-options.ts'
import { ask, get } from './connection.ts'
import { bucket, filenameOf, kind } from './images-pool.ts'
import { dataDirWith } from './images-servers.ts'
import { firstCore, keepTo, lastCore } from './load/own-core.ts'
import { owner, ownerSettings, signInOwner } from './people.ts'
import { photographs } from './photographs.ts'
import { startServer } from './server.ts'

/*
 * node bench/console-photographs.ts [--images 3000] [--apart] [--scale 1]: scrolls through so many photographs of 1.1 MB in the
 * console, as fast as they appear, with the default limits of the service (10 minutes for 3,000), and visits another page
 * after. With --apart, the service has the first core for itself and the browser the last, as two machines would: otherwise
 * the browser waits for a core while the service makes the thumbnails.
 */

const { values: flags } = parseArgs({
  options: {
    images: { type: 'string', default: '3000' },
    apart: { type: 'boolean', default: false },
    scale: { type: 'string', default: '1' },
  },
})
const count = Number(flags.images)
const distinct = 25
const folder = mkdtempSync(join(tmpdir(), 'menagerie-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const made = await photographs(distinct)
const dataDir = await dataDirWith(
  folder,
  made.map((bytes, index) => [filenameOf(index), bytes] as const),
)
const pathOf = (index: number) => join(dataDir, 'objects', bucket, kind, filenameOf(index))
for (let index = distinct; index < count; index += 1) linkSync(pathOf(index % distinct), pathOf(index))
if (flags.apart) keepTo(firstCore)
const server = await startServer({
  script: 'src/bin/api.ts',
  readyPath: '/ready',
  env: { DATA_DIR: dataDir, CATALOGUE_REFRESH_SECONDS: '86400', ...ownerSettings },
  folder,
})
if (flags.apart) keepTo(lastCore)
const listed = get('/images', { Authorization: await signInOwner(server.port) })
while (!(await ask(server.port, listed)).body.includes(`"count":${count}`)) await sleep(100)
const browser = await chromium.launch(launchOptions)
try {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 900 },
    deviceScaleFactor: Number(flags.scale),
  })
  const seen = await watch(page)
  await page.goto(`http://127.0.0.1:${server.port}/console#/images?kind=${kind}`)
  await page.getByLabel('Username').fill(owner.username)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page
    .locator('.tile')
    .nth(distinct - 1)
    .waitFor()
  await page.evaluate('taskMs = 0')
  const startedAt = performance.now()
  const shown = new Set<string>()
  let first = 0
  let failed = 0
  let ownMb = 0
  while (shown.size < count) {
    const tiles = await whenShown(page)
    for (const { name, isFailed } of tiles) {
      shown.add(name)
      failed += Number(isFailed)
    }
    if (first === 0 && shown.size >= distinct) first = seen.imageBytes / shown.size
    await page.evaluate(
      'scrollBy(0, 600); new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
    )
    ownMb = Math.max(ownMb, await ofTab('RssAnon'))
    if ((performance.now() - startedAt) / 60_000 > count / 150) throw new Error(`only ${shown.size} were shown`)
  }
  const taskMs = await page.evaluate<number>('taskMs')
  const visitedAt = performance.now()
  await page.evaluate("location.hash = '/users'")
  await page.locator('tbody tr').first().waitFor()
  console.log(
    [
      `${shown.size} photographs in ${((visitedAt - startedAt) / 60_000).toFixed(1)} minutes, ${failed} not shown`,
      `${((first * distinct) / 1000).toFixed()} kB for the first ${distinct} (at most 600)`,
      `${(seen.bytes / 1e6).toFixed(1)} MB over the network (at most 60)`,
      `${(await ofTab('VmHWM')).toFixed()} MB resident in the tab at most (at most 400)`,
      `${ownMb.toFixed()} MB of them without the browser's program and what it may drop at any time`,
      `longest task ${taskMs === 0 ? 'under 50' : taskMs.toFixed()} ms (at most 50)`,
      `responses of 400 and more: ${JSON.stringify(seen.refused)}`,
      `the page of users after it: ${(performance.now() - visitedAt).toFixed()} ms`,
    ].join('\n'),
  )
} finally {
  await browser.close()
  await server.stop()
}

/** Counts what the page loads. */
async function watch(page: Page) {
  const seen = { bytes: 0, imageBytes: 0, refused: {} as Record<string, number> }
  await page.addInitScript(`taskMs = 0
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => { taskMs = Math.max(taskMs, duration) }))
      .observe({ type: 'longtask' })`)
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const images = new Set<string>()
  session.on('Network.responseReceived', ({ requestId, type, response: { status, url } }) => {
    if (type === 'Image') images.add(requestId)
    const what = `${status} ${new URL(url).pathname.split('/', 2).join('/')}`
    if (status >= 400) seen.refused[what] = (seen.refused[what] ?? 0) + 1
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    seen.bytes += encodedDataLength
    if (images.delete(requestId)) seen.imageBytes += encodedDataLength
  })
  return seen
}

/** The tiles in view, once each shows its picture or says that it cannot. */
async function whenShown(page: Page): Promise<{ name: string; isFailed: boolean }[]> {
  const inView = `[...document.querySelectorAll('.tile')].filter((tile) => {
    const { top, bottom } = tile.getBoundingClientRect()
    return bottom > 0 && top < innerHeight
  })`
  const isShown = `((tile) => { const image = tile.querySelector('img'); return image ? image.complete : tile.querySelector('.placeholder') })`
  while (!(await page.evaluate(`${inView}.every(${isShown})`))) await sleep(50)
  return page.evaluate(`${inView}.map((tile) => ({
    name: tile.querySelector('.tile-name').textContent, isFailed: tile.querySelector('.placeholder') !== null }))`)
}

/** In MB. */
async function ofTab(field: 'RssAnon' | 'VmHWM'): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const all = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1])
  return Math.max(...all.map(Number)) / 1024
}
