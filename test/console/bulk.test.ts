import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/until.ts'
import { assertNoBarriers, type ConsoleStage, openConsoleStage } from './stage.ts'

const bytes = readFileSync(join(import.meta.dirname, '../../samples/fox/fox-at-dusk.png'))
const failed = (requestId: string) => ({
  status: 500,
  headers: { 'x-request-id': requestId },
  json: { status: 500, message: 'Internal Server Error' },
})

describe('Acts on several images in the console', { skip: noBrowser }, () => {
  let stage: ConsoleStage
  let token: string
  const names = ['a', 'b', 'c'].map((name) => `fox/${name}.png`)
  const hide = (name: string) => stage.service.request('POST', '/admin/images/hide', { token, body: { name } })
  const statusOf = async (name: string) => (await stage.service.request('HEAD', `/i/${name}`)).status

  before(async () => {
    stage = await openConsoleStage()
    token = (await stage.service.login('keeper')).body.accessToken
    for (const name of names)
      await stage.service.request('POST', `/admin/s3/upload?bucketName=images&objectName=${name}`, {
        token,
        headers: { 'content-type': 'image/png' },
        body: bytes,
      })
  })

  const select = async (page: Page, ...some: readonly string[]) => {
    for (const name of some) await page.getByLabel(`Select ${name}.png`).click()
  }
  const choose = async (page: Page, label: string) => {
    await page.getByRole('button', { name: label, exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: label, exact: true }).click()
  }
  /** Holds the requests for one image until `go`. */
  const holdAt = async (page: Page, pattern: string, isHeld: (route: Route) => boolean) => {
    const { promise: isReached, resolve: reached } = Promise.withResolvers<void>()
    const { promise: mayGo, resolve: go } = Promise.withResolvers<void>()
    await page.route(pattern, async (route) => {
      if (isHeld(route)) {
        reached()
        await mayGo
      }
      await route.continue().catch(() => {})
    })
    return { isReached, go }
  }
  const isFetched = (route: Route) => route.request().resourceType() === 'fetch'

  it('wait where the service asks for patience, also for the files of a download', async () => {
    const { page } = await stage.open('/images?kind=fox')
    let refused = 0
    await page.route('**/i/fox/b.png?*', (route) =>
      isFetched(route) && refused++ < 2
        ? route.fulfill({ status: 429, headers: { 'retry-after': '0' } })
        : route.continue(),
    )
    await select(page, 'a', 'b', 'c')
    const [download] = await Promise.all([page.waitForEvent('download'), choose(page, 'Download')])
    assert.equal(download.suggestedFilename(), 'fox.zip')
    await page.getByText('3 images have been downloaded').waitFor()
    assert.equal(refused, 3)
    await page.close()
  })

  it('say why while they wait for the service', async () => {
    const { page } = await stage.open('/images?kind=fox')
    const json = { status: 503, message: 'Service is temporarily unavailable, please try again' }
    await page.route('**/admin/images/hide', (route) =>
      route.fulfill({ status: 503, headers: { 'retry-after': '60' }, json }),
    )
    await select(page, 'a')
    await choose(page, 'Hide')
    await page.getByText('0 of 1. Waiting: The service cannot do this at the moment.').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('0 of 1').waitFor({ state: 'detached' })
    await page.close()
  })

  it('are reached by keyboard past a long list, which goes on by itself once the limits allow', async () => {
    const { page } = await stage.open('/overview')
    let refused = 0
    await page.route('**/images/fox?*', (route) =>
      refused++ === 0
        ? route.fulfill({
            status: 429,
            // The client itself waits for no more than a second.
            headers: { 'retry-after': '2' },
            json: { status: 429, message: 'Too many requests from this IP, please try again later.' },
          })
        : route.continue(),
    )
    await page.evaluate("location.hash = '/images?kind=fox'")
    await page.getByText(/^You can try again in [12] s\.$/).waitFor()
    await select(page, 'a')
    assert.equal(refused, 2)
    assert.equal(await page.getByRole('alert').count(), 0)
    await page.getByRole('button', { name: 'Skip to the actions for the selected images' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('1 image selected').waitFor({ state: 'detached' })
    await page.close()
  })

  it('save nothing and select the same if a download is stopped', async () => {
    const { page, complaints } = await stage.open('/images?kind=fox')
    const { isReached } = await holdAt(page, '**/i/fox/b.png?*', isFetched)
    await select(page, 'a', 'b')
    await choose(page, 'Download')
    await isReached
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('alert').getByText('Stopped: nothing has been downloaded.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('2 images selected').waitFor()
    assert.equal(await page.getByText('have been downloaded').count(), 0)
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('end when their dialog is closed, which does not open again, and keep the page from being left before', async () => {
    const { page, complaints } = await stage.open('/images?kind=fox')
    const { isReached, go } = await holdAt(page, '**/admin/images/hide', (route) =>
      String(route.request().postData()).includes('b.png'),
    )
    const mayLeave = () => page.evaluate("dispatchEvent(new Event('beforeunload', { cancelable: true }))")
    await select(page, 'a', 'b', 'c')
    assert.equal(await mayLeave(), true)
    await choose(page, 'Hide')
    await isReached
    assert.equal(await mayLeave(), false)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    go()
    await page.getByText('2 images have been hidden').waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.equal(await mayLeave(), true)
    await page.getByText('1 image selected').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The change to 2 images has been undone').waitFor()
    assert.deepEqual(await Promise.all(names.map(statusOf)), [200, 200, 200])
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('show many hidden images again, name what failed with the number of its request, and are taken back', async () => {
    for (const name of names) await hide(name)
    const { page } = await stage.open('/images?kind=fox')
    await page.getByText('No image of this kind is shown, but some are hidden.').waitFor()
    await page.getByText('3 hidden images, across all kinds').click()
    await page.getByLabel('Select fox/a.png').click()
    await page.getByLabel('Select fox/c.png').click({ modifiers: ['Shift'] })
    await assertNoBarriers(page, [390])
    const isOf = (name: string) => (route: Route) => String(route.request().postData()).includes(name)
    const failFor = (pattern: string, name: string, requestId: string) =>
      page.route(pattern, (route) => (isOf(name)(route) ? route.fulfill(failed(requestId)) : route.continue()))
    await failFor('**/admin/images/unhide', 'b.png', 'the-first')
    await page.getByRole('button', { name: 'Show again… the selected images' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Show again' }).click()
    await page.getByText('1 image could not be shown again').waitFor()
    await page.getByRole('alert').getByText('Details').click()
    await page.getByRole('alert').getByText('Request the-first').waitFor()
    assert.deepEqual(await Promise.all(names.map(statusOf)), [200, 404, 200])
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click()
    await failFor('**/admin/images/hide', 'c.png', 'the-second')
    await page.getByText('2 images have been shown again').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page
      .getByText(/^The change to fox\/c\.png could not be undone: .+ Request the-second\. The others were put back\.$/)
      .waitFor()
    assert.deepEqual(await Promise.all(names.map(statusOf)), [404, 404, 200])
    await page.unroute('**/admin/images/hide')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('The change to fox/c.png has been undone').waitFor()
    await page.getByRole('button', { name: 'Show again fox/a.png' }).click()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'fox/a.png is no longer' })
      .getByRole('button', { name: 'Undo' })
      .click()
    await page.getByText('fox/a.png is hidden again').waitFor()
    await until(async () => (await statusOf('fox/a.png')) === 404, 'the image to be hidden')
    await page.close()
  })

  it('take back only what was done here, and name all that is left if the role does not allow it any more', async () => {
    for (const name of names) await hide(name)
    const { page } = await stage.open('/images?kind=fox')
    await page.getByText('3 hidden images, across all kinds').click()
    for (const name of names) await page.getByLabel(`Select ${name}`).click()
    await page.getByRole('button', { name: 'Show again fox/a.png' }).click()
    await page.getByText('2 images selected', { exact: true }).waitFor()
    // Somebody else is faster.
    const body = { name: 'fox/b.png' }
    await stage.service.request('POST', '/admin/images/unhide', { token, body })
    await page.getByRole('button', { name: 'Show again… the selected images' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Show again' }).click()
    await page.getByText('2 images have been shown again').waitFor()
    const undo = page
      .getByRole('listitem')
      .filter({ hasText: '2 images have been' })
      .getByRole('button', { name: 'Undo' })
    await page.route('**/admin/images/hide', (route) =>
      route.fulfill({
        status: 403,
        json: { status: 403, message: 'You do not have permission to access this resource' },
      }),
    )
    await undo.click()
    await page
      .getByText(
        'The change to fox/c.png could not be undone: Your role does not allow this. The others were put back.',
      )
      .waitFor()
    await page.unroute('**/admin/images/hide')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('The change to fox/c.png has been undone').waitFor()
    assert.deepEqual(await Promise.all(names.map(statusOf)), [200, 200, 404])
    await page.getByLabel('Select a.png').click()
    await page.getByLabel('Select b.png').click()
    await choose(page, 'Hide')
    await page.getByText('2 images have been hidden').waitFor()
    await page.route('**/admin/images/unhide', (route) =>
      route.fulfill({
        status: 403,
        json: { status: 403, message: 'You do not have permission to access this resource' },
      }),
    )
    const hidden = page.getByRole('listitem').filter({ hasText: '2 images have been hidden' })
    await hidden.getByRole('button', { name: 'Undo' }).click()
    await page
      .getByText('The change to fox/a.png, fox/b.png could not be undone: Your role does not allow this.', {
        exact: true,
      })
      .waitFor()
    await page.close()
  })
})
