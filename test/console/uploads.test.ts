import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { launchBrowser, noBrowserUnlessFull } from '../support/chromium.ts'
import { end, owner, start } from '../support/killed-service.ts'
import { picture } from '../support/real-images.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'
import { openConsoleStage, signIn } from './stage.ts'

const add = async (page: Page, count: number, first = 0) => {
  const files = Array.from({ length: count }, async (_, index) => ({
    name: `many-${first + index}.png`,
    mimeType: 'image/png',
    buffer: Buffer.concat([await picture('png', 20 + first + index, 30), Buffer.alloc(20_000, index)]),
  }))
  await page.locator('input[type=file]').setInputFiles(await Promise.all(files))
}
const statusesOf = (page: Page, path: string) => {
  const statuses: number[] = []
  page.on('response', (response) => response.url().includes(path) && statuses.push(response.status()))
  return statuses
}

describe('Many uploads in the console', { skip: noBrowserUnlessFull }, () => {
  it('continue on their own after a kill, with nothing lost and nothing stored twice', async () => {
    const dataDir = testFolder()
    let api = await start(dataDir)
    const { port } = new URL(api.url)
    const page = await (await launchBrowser()).newPage()
    await page.goto(`${api.url}/console#/images?kind=fox`)
    await signIn(page, owner.username, owner.password)
    const statuses = statusesOf(page, '/admin/s3/upload')
    await add(page, 40)
    await until(() => statuses.length >= 12)
    await end(api)
    await page.getByText('The queue waits, and goes on by itself').waitFor()
    api = await start(dataDir, [], Number(port))
    await page.getByText('40 of 40 stored').waitFor()
    assert.deepEqual(
      readdirSync(join(dataDir, 'objects/images/fox')).filter((name) => name.endsWith('.png')).length,
      40,
    )
    assert.deepEqual(
      statuses.filter((status) => status !== 200 && status !== 412),
      [],
    )
    await page.getByRole('link', { name: 'fox 40 images' }).waitFor()
    await page.close()
    await end(api)
  })

  it('leave requests for the pages, and wait when the service accepts no more', async () => {
    // A file takes two requests. Even a slow machine fills such a window; the rest fits into the next, with the pictures
    // of the new images, since a third one would take longer than anything here may.
    const stage = await openConsoleStage({
      env: { RATE_LIMIT_GLOBAL_MAX: '90', RATE_LIMIT_GLOBAL_WINDOW_SECONDS: '15' },
    })
    const { page } = await stage.open('/images?kind=fox')
    const statuses = statusesOf(page, '/')
    await page.locator('input[type=file]').waitFor({ state: 'attached' })
    await add(page, 40)
    await page
      .getByText(/Most of the requests .* are used\. The queue waits, and goes on by itself in \d+ second/)
      .waitFor()
    await page.getByText('40 of 40 stored').waitFor()
    assert.ok(!statuses.includes(429))
    // Another client with the same address uses up the rest.
    await page.getByRole('button', { name: 'Clear finished' }).click()
    const isRefused = async () => {
      const { status, headers } = await stage.service.request('GET', '/health')
      return status === 429 && Number(headers.get('retry-after')) > 3
    }
    await until(isRefused)
    await add(page, 3, 50)
    await page.getByText(/(Too many|Most of) .* The queue waits, and goes on by itself in \d/).waitFor()
    await page.getByText('3 of 3 stored').waitFor()
    await page.close()
  })

  it('wait while the object store is unavailable', async () => {
    const stage = await openConsoleStage()
    const { page } = await stage.open('/images?kind=fox')
    const refuse = (status: number, message: string) => (route: Route) =>
      route.fulfill({ status, json: { status, message } })
    await page.route('**/admin/s3/upload*', refuse(500, 'Error uploading object'))
    await page.route('**/admin/s3/test', refuse(503, 'Object store is not reachable'))
    await add(page, 9)
    await page.getByText('Error uploading object. The queue waits, and goes on by itself.').waitFor()
    assert.equal(await page.getByText('9 failed').count(), 0)
    await page.unroute('**/admin/s3/upload*')
    await page.unroute('**/admin/s3/test')
    await page.getByText('9 of 9 stored').waitFor()
    await page.close()
  })
})
