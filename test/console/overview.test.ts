import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { openWorker } from '../status/worker-stage.ts'
import { noBrowserUnlessFull } from '../support/chromium.ts'
import { png } from '../support/pictures.ts'
import { StatusServer } from '../support/status-servers.ts'
import { until } from '../support/until.ts'
import { assertNoBarriers, type ConsoleStage, openConsoleStage, signIn } from './stage.ts'

const dayMs = 86_400_000
const dayAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10)
const sections = (page: Page) => page.getByRole('main').getByRole('heading', { level: 2 })
const lines = (page: Page) => page.locator('.attention > li')

describe('The overview of the console', { skip: noBrowserUnlessFull }, () => {
  let stage: ConsoleStage
  let token: string
  const send = async (path: string, body: object, as = token) => {
    const reply = await stage.service.request('POST', path, { token: as, body })
    assert.ok(reply.status < 300, reply.text)
    return reply.body
  }

  before(async () => {
    const chat = await StatusServer.open(() => ({ status: 404 }))
    const worker = await openWorker({
      env: {
        STATUS_TARGETS: 'chat',
        STATUS_TARGET_CHAT_KIND: 'discord',
        STATUS_TARGET_CHAT_URL: `${chat.url}/api/webhooks/123/secret-of-the-chat`,
      },
    })
    stage = await openConsoleStage({ env: { STATUS_WORKER_URL: worker.url, SAMPLE_IMAGES: 'true' } })
    await worker.beat('backup')
    await stage.service.register('reader')
    token = (await stage.service.login('keeper')).body.accessToken
  })

  it('has nothing to say while all is well', async () => {
    const { page } = await stage.open('/overview')
    await page.getByText('Nothing.', { exact: true }).waitFor()
    await page.getByText("The console's own requests count, too.").waitFor()
    await page.getByText(/^No requests in the two weeks before today\. Today so far: \d+\.$/).waitFor()
    await page.close()
  })

  it('needs at most 170 kB of script, gzipped, with the sign-in', async () => {
    const { page } = await stage.open('/overview')
    await page.locator('canvas').waitFor()
    await page.waitForLoadState('networkidle')
    const paths = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((path) => path.endsWith('.js'))`,
    )
    const sizes = paths.map((path) => gzipSync(readFileSync(join('console/dist', path))).length)
    const total = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(total > 100_000 && total <= 170_000, `${total} bytes in ${paths.join(', ')}`)
    await page.close()
  })

  it('shows first what needs attention and leads to it, then the week against the one before, in ISO dates', async () => {
    const { images } = (await stage.service.request('GET', '/images/fox', { token })).body
    await send('/images/report', { name: images[0].name, reason: 'No fox' })
    const incident = {
      title: 'Slow uploads',
      level: 'partial',
      components: ['backup'],
      stage: 'identified',
      text: 'Slow',
    }
    await send('/admin/status/incidents', incident)
    await stage.service.login('keeper', 'not the password')
    assert.equal((await stage.service.request('POST', '/admin/status/targets/chat/test', { token })).status, 200)
    const { page, complaints } = await stage.open('/account')
    const week = (from: number, images: number) =>
      [...Array(7).keys()].map((day) => ({
        day: dayAgo(from + day),
        auth: 1,
        admin: 0,
        images,
        total: images + 1,
        keys: 0,
      }))
    // Today and the day before both weeks count in neither.
    const others = [0, 15].map((days) => ({
      day: dayAgo(days),
      auth: 500,
      admin: 0,
      images: 500,
      total: 1000,
      keys: 0,
    }))
    const usage = [...others, ...week(1, 30), ...week(8, 20)].sort((one, other) => (one.day < other.day ? -1 : 1))
    await page.route('**/admin/usage?*', (route) => route.fulfill({ json: { status: 200, usage } }))
    await page.getByRole('link', { name: 'Overview' }).click()
    await until(async () => (await lines(page).count()) === 4)
    const texts = await lines(page).allTextContents()
    assert.match(texts[0] ?? '', /^partial Slow uploads, began /)
    assert.match(texts[1] ?? '', /^fox\/.+Reported by one user, first .+No fox.*Keep.*Hide/s)
    assert.match(texts[2] ?? '', /^1 refused sign-in in 24 hours, from 1 address$/)
    assert.match(texts[3] ?? '', /^failed Test of chat /)
    assert.deepEqual((await sections(page).allTextContents()).slice(0, 4), [
      'Find a user',
      'Needs attention',
      'Requests per day',
      'Totals',
    ])
    const figures = page.locator('.figures').first().locator('div')
    assert.deepEqual(await figures.allInnerTexts(), [
      'All requests\n217\n+48% (147)',
      'Image requests\n210\n+50% (140)',
      'Account requests\n7\n0% (7)',
    ])
    await page.getByText(`From ${dayAgo(7)} to ${dayAgo(1)}, against the week before.`).waitFor()
    const legend = page.locator('.u-legend')
    await legend.getByText(dayAgo(0)).waitFor()
    await page.locator('.u-over').hover()
    await page.getByRole('heading', { level: 1 }).hover()
    assert.doesNotMatch(await legend.innerText(), /--/)
    await assertNoBarriers(page)
    await page.setViewportSize({ width: 1280, height: 900 })
    await lines(page).getByRole('link', { name: '1 refused sign-in' }).click()
    await page.getByRole('rowheader', { name: 'sign in' }).first().waitFor()
    assert.equal(await page.getByLabel('Action').inputValue(), 'login')
    assert.equal(await page.getByLabel('Outcome').inputValue(), 'refused')
    await until(async () => (await page.getByRole('row').count()) === 2, 'one refused sign-in, and none that succeeded')
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('has the focus in a field that finds users while one types, with what one may do to each beside the name', async () => {
    for (const name of ['finder-1', 'finder-2', 'finder-3', 'finder-4', 'finder-5', 'finder-6'])
      await stage.service.register(name)
    const { page, complaints } = await stage.open('/account')
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('searchbox', { name: 'Username' }).and(page.locator(':focus')).waitFor()
    const found = page.locator('.found > li')
    assert.equal(await found.count(), 0)
    await page.keyboard.type('finder-')
    await until(async () => (await found.count()) === 5)
    await assertNoBarriers(page, [360, 390, 1280])
    await page.setViewportSize({ width: 1280, height: 900 })
    assert.deepEqual(
      await found.nth(1).getByRole('button').allTextContents(),
      ['Ban', 'Change role', 'Rename', 'Revoke all access', 'Reset password', 'Delete'].map(
        (act) => `${act}… finder-2`,
      ),
    )
    await page.getByRole('button', { name: 'Ban… finder-2' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Ban', exact: true }).click()
    await found.nth(1).getByText('banned').waitFor()
    await page.getByRole('button', { name: 'Unban finder-2' }).click()
    await page.getByRole('button', { name: 'Ban… finder-2', exact: true }).and(page.locator(':focus')).waitFor()
    assert.equal(await found.getByText('banned').count(), 0)
    await page.getByRole('link', { name: 'All users that match' }).click()
    await page.getByRole('rowheader', { name: 'finder-6' }).waitFor()
    await page.locator('h1:focus', { hasText: 'Users' }).waitFor()
    await page.goBack()
    await page.getByRole('searchbox', { name: 'Username' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('keeper')
    await until(async () => (await found.count()) === 1)
    assert.equal(await found.getByRole('button').count(), 0, 'nothing is allowed on oneself')
    for (const [typed, title] of [
      ['FINDER-', 'Users'],
      ['finder-3', 'finder-3'],
      ['inder-4', 'finder-4'],
    ] as const) {
      await page.getByRole('searchbox', { name: 'Username' }).fill(typed)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await page.goBack()
    }
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('leaves the focus on its title where a field would open the keyboard of a touch screen', async () => {
    const context = await stage.browser.newContext({ hasTouch: true, isMobile: true })
    const page = await context.newPage()
    await page.goto(`${stage.service.url}/console#/account`)
    await signIn(page, 'keeper')
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.locator('h1:focus', { hasText: 'Overview' }).waitFor()
    await page.getByRole('searchbox', { name: 'Username' }).waitFor()
    await context.close()
  })

  it('has the first three reports, which are decided there, with Undo for what was hidden', async () => {
    const { images } = (await stage.service.request('GET', '/images/bird', { token })).body
    const names: string[] = images.map(({ name }: { name: string }) => name)
    assert.ok(names.length >= 4)
    for (const name of names.slice(0, 4)) await send('/images/report', { name, reason: 'No bird' })
    const { page, complaints } = await stage.open('/account')
    await page.getByRole('link', { name: 'Overview' }).click()
    const reports = page.locator('.attention > .report')
    await page.getByRole('link', { name: 'All 5 reports' }).waitFor()
    assert.equal(await reports.count(), 3)
    await assertNoBarriers(page, [360, 390, 768, 1280])
    await page.setViewportSize({ width: 1280, height: 900 })
    assert.equal(await reports.getByRole('button', { name: 'Delete' }).count(), 0)
    const [hidden = '', kept = ''] = names
    const statusOf = async (name: string) => (await stage.service.request('GET', `/i/${name}`)).status
    await page.getByRole('button', { name: `Hide ${hidden}` }).click()
    await page.getByText(`Hidden: ${hidden}`).waitFor()
    await page.getByRole('link', { name: 'All 4 reports' }).waitFor()
    assert.equal(await statusOf(hidden), 404)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(`Shown again: ${hidden}`).waitFor()
    assert.equal(await statusOf(hidden), 200)
    await page.getByRole('button', { name: `Keep ${kept}` }).press('Enter')
    await page.getByRole('link', { name: 'All 4 reports' }).waitFor({ state: 'detached' })
    assert.equal(await reports.count(), 3)
    await page.locator('.attention > .report :focus').waitFor()
    assert.equal(await statusOf(kept), 200)
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('plans maintenance of the component beside whose status one asked, an hour long unless one says otherwise', async () => {
    const { page, complaints } = await stage.open('/account')
    await page.getByRole('link', { name: 'Overview' }).click()
    const components = '**/admin/status/components'
    await page.route(components, async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      for (const each of body.components) Object.assign(each, { heartbeat: 'missed', wantedStatus: 'outage' })
      await route.fulfill({ response, json: body })
    })
    await page.reload()
    const row = page
      .locator('.facts > div', { hasText: 'backup' })
      .locator('.with-act', { hasText: 'heartbeat missed' })
    const [text, act] = await Promise.all(
      [row.locator('span').first(), row.getByRole('button')].map((e) => e.boundingBox()),
    )
    assert.ok(text && act && act.x > text.x + 100 && act.y < text.y + text.height, 'beside the status')
    await page.unroute(components)
    await page.reload()
    await page.getByRole('button', { name: 'Plan maintenance of backup' }).click()
    const dialog = page.getByRole('dialog', { name: 'Plan maintenance: backup' })
    const [from, until] = [dialog.getByLabel('From'), dialog.getByLabel('Until')]
    await from.and(page.locator(':focus')).waitFor()
    assert.match(await from.inputValue(), /:00$/)
    assert.ok(Date.parse(await from.inputValue()) < Date.parse(await until.inputValue()))
    await from.fill('2099-12-31T23:30')
    assert.equal(await until.inputValue(), '2100-01-01T00:30')
    await until.fill('2100-01-01T02:00')
    await from.fill('2099-12-31T22:00')
    assert.equal(await until.inputValue(), '2100-01-01T02:00')
    assert.ok(await dialog.getByRole('checkbox', { name: 'backup' }).isChecked())
    await assertNoBarriers(page, [360, 1280])
    await from.press('Enter')
    await page.getByText('Maintenance planned').waitFor()
    const { maintenance } = (await stage.service.request('GET', '/admin/status/maintenance', { token })).body
    const inUtc = (text: string) => new Date(text).toISOString()
    assert.deepEqual(
      maintenance.map(({ components, from, until }: Record<string, unknown>) => [components, from, until]),
      [[['backup'], inUtc('2099-12-31T22:00'), inUtc('2100-01-01T02:00')]],
    )
    await page.getByRole('link', { name: 'backup', exact: true }).first().click()
    await page.getByRole('heading', { name: 'backup', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Plan maintenance' }).click()
    await page.getByRole('dialog', { name: 'Plan maintenance: backup' }).waitFor()
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('uploads into the kind beside whose name the files were chosen, and counts them', async () => {
    const { page, complaints } = await stage.open('/account')
    await page.getByRole('link', { name: 'Overview' }).click()
    const kind = page.locator('.facts > div', { hasText: 'Upload to fox' })
    const before = Number.parseInt(await kind.locator('dd').innerText(), 10)
    await kind.getByLabel('Upload to fox').setInputFiles([
      { name: 'small.png', mimeType: 'image/png', buffer: png(20, 30) },
      { name: 'large.png', mimeType: 'image/png', buffer: png(60, 90) },
    ])
    await page.getByText('2 of 2 stored').waitFor()
    await kind.getByText(String(before + 2)).waitFor()
    for (const name of ['small.png', 'large.png'])
      assert.equal((await stage.service.request('GET', `/i/fox/${name}`)).status, 200)
    await assertNoBarriers(page, [360, 1280])
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('says that less than a tenth of the disk is free', async () => {
    const { page } = await stage.open('/account')
    let freeBytes = 5e9
    await page.route('**/admin/service', async (route) => {
      const body = await (await route.fetch()).json()
      await route.fulfill({ json: { ...body, disk: { freeBytes, totalBytes: 50e9 } } })
    })
    const open = async () => {
      await page.reload()
      await page.getByRole('link', { name: 'Overview' }).click()
      await page.getByText(/since its start\.$/).waitFor()
    }
    await open()
    assert.equal(await page.getByText('The disk of').count(), 0)
    freeBytes = 4.9e9
    await open()
    await lines(page)
      .getByText(/^The disk of api-.+ has 4.9\sGB of 50\sGB free$/)
      .waitFor()
    await page.close()
  })

  it('leaves reads that failed out of the latest audit events, which would fill them', async () => {
    const { page } = await stage.open('/account')
    await page.route('**/admin/audit?*', async (route) => {
      const response = await route.fetch()
      const { events, ...others } = await response.json()
      const failed = { ...events[0], action: 'status.read', outcome: 'failed: The status worker is not available' }
      const reads = Array.from({ length: 40 }, (_, index) => ({ ...failed, id: `${failed.id}${index}` }))
      await route.fulfill({ response, json: { ...others, events: [...reads, ...events] } })
    })
    await page.reload()
    await page.getByRole('link', { name: 'Overview' }).click()
    const latest = page.locator('section', { has: page.getByRole('heading', { name: 'Latest audit events' }) })
    await latest.locator('tbody tr').first().waitFor()
    assert.ok((await latest.locator('tbody tr').count()) > 1)
    assert.equal(await latest.getByText('failed').count(), 0)
    await page.close()
  })

  it('says what it could not read, rather than that nothing needs attention', async () => {
    const { page } = await stage.open('/account')
    await page.route('**/admin/reports?*', (route) => route.fulfill({ status: 500, json: { error: 'Out of order' } }))
    await page.reload()
    await page.getByRole('link', { name: 'Overview' }).click()
    await lines(page).getByText('Unknown: reports. Out of order').waitFor()
    await page.close()
  })

  it('shows a user their images, links and usage, and asks for nothing else', async () => {
    const own = (await stage.service.login('reader')).body.accessToken
    await send('/auth/embed', { kind: 'fox', ttl: '30d' }, own)
    const { page, complaints } = await stage.open('/account', { username: 'reader' })
    const refused: string[] = []
    page.on('response', (reply) => reply.status() >= 400 && refused.push(new URL(reply.url()).pathname))
    const usage = page.waitForResponse((reply) => new URL(reply.url()).pathname === '/auth/usage')
    await page.getByRole('link', { name: 'Overview' }).click()
    assert.equal((await usage).status(), 200)
    await page.locator('figure canvas').waitFor()
    await page.locator('dd', { hasText: 'never used' }).waitFor()
    assert.deepEqual(await sections(page).allTextContents(), ['Images', 'Links', 'Your requests per day'])
    await page.getByRole('main').getByRole('link', { name: 'fox' }).click()
    await page.waitForURL(/images\?kind=fox/)
    assert.deepEqual([refused, complaints], [[], []])
    await page.close()
  })
})
