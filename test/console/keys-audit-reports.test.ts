import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Route } from 'playwright-core'
import { noBrowser, noBrowserUnlessFull } from '../support/chromium.ts'
import { until } from '../support/until.ts'
import { assertNoBarriers, type ConsoleStage, openConsoleStage, signIn } from './stage.ts'

const hostile = '<b onmouseover="document.title=1">\u202ename'

describe('Keys, audit, reports and the overview of the console', { skip: noBrowser }, () => {
  let stage: ConsoleStage
  before(async () => {
    stage = await openConsoleStage({ env: { SAMPLE_IMAGES: 'true', STATUS_WORKER_URL: 'http://127.0.0.1:1' } })
    for (const name of ['reporter', 'warden']) await stage.service.register(name)
  })

  it('make a key that works, show it once, rotate and revoke it', async () => {
    const { page, complaints } = await stage.open('/keys', { username: 'reporter' })
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill(hostile)
    await assertNoBarriers(page, [195])
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const shown = page.getByLabel('Key', { exact: true })
    const copied = page.getByRole('button', { name: 'I have copied it' })
    await copied.waitFor()
    // Neither a click outside nor Escape closes the only view of the secret.
    await page.mouse.click(5, 500)
    await page.keyboard.press('Escape')
    assert.equal(await page.getByRole('button', { name: 'Close' }).count(), 0)
    const first = await shown.inputValue()
    const use = async (key: string) =>
      (await stage.service.request('GET', '/images/fox/random', { token: `Bearer ${key}` })).status
    assert.equal(await use(first), 200)
    await copied.click()
    assert.equal(await shown.count(), 0)
    await assertNoBarriers(page)
    await page.getByRole('button', { name: /^Rotate/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    const second = await shown.inputValue()
    assert.deepEqual([await use(first), await use(second)], [401, 200])
    await copied.click()
    await page.getByRole('button', { name: /^Revoke/ }).click()
    await page.getByText('This cannot be undone.').waitFor()
    // One Enter too many does nothing.
    await page.keyboard.press('Enter')
    assert.match(String(await page.locator(':focus').textContent()), /^Revoke/)
    assert.equal(await use(second), 200)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No API keys.').waitFor()
    await page.locator('h2:focus', { hasText: 'API keys' }).waitFor()
    assert.equal(await use(second), 401)
    assert.deepEqual(complaints, [])
  })

  it('make an embed link that shows an image, and revoke it', { skip: noBrowserUnlessFull }, async () => {
    const { page } = await stage.open('/keys', { username: 'reporter' })
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByLabel('Kind').selectOption('fox')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const path = new URL(await page.getByLabel('Link', { exact: true }).inputValue()).pathname
    assert.match(await page.getByLabel('Markdown').inputValue(), /^!\[.*\]\(http/)
    assert.equal((await stage.service.request('GET', path)).status, 200)
    await page.keyboard.press('Escape')
    const links = page.getByRole('region', { name: 'Embed links' }).getByRole('row')
    await links.nth(1).waitFor()
    assert.deepEqual(await links.locator('th, td:nth-child(4)').allTextContents(), [
      ...['Link', 'Created', 'Expires', 'Last used', 'Actions'],
      'never',
    ])
    await assertNoBarriers(page, [390])
    const end = `…${path.slice(-8)}`
    await page.getByText(`Last characters: ${end}.`).waitFor()
    await page.getByRole('button', { name: /^Revoke/ }).click()
    await page.getByRole('dialog').getByText(`The link that ends in ${end} was created `).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No embed links.').waitFor()
    assert.equal((await stage.service.request('GET', path)).status, 404)
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByLabel('Tags', { exact: true }).fill('night, snow')
    await page.getByLabel('Without tags').fill('drawing')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('No image matches at the moment').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Tagged night, snow. Not tagged drawing.').waitFor()
  })

  it('keep, hide, show again and delete reported images, hide kept ones, with hostile reasons as text', async () => {
    const { accessToken } = (await stage.service.login('reporter')).body
    const { body } = await stage.service.request('GET', '/images/fox', { token: accessToken })
    const names: string[] = body.images.map(({ name }: { name: string }) => name).slice(0, 3)
    for (const name of names)
      await stage.service.request('POST', '/images/report', { token: accessToken, body: { name, reason: hostile } })
    const { page, complaints } = await stage.open('/reports')
    await page.getByText(hostile).first().waitFor()
    await assertNoBarriers(page)
    const statusOf = async (name = '') => (await stage.service.request('GET', `/i/${name}`)).status
    const act = async (label: string, name = '') => {
      await page.getByRole('button', { name: `${label} ${name}` }).click()
      await page.getByRole('button', { name: `${label} ${name}` }).waitFor({ state: 'detached' })
    }
    await act('Keep', names[0])
    await act('Hide', names[1])
    await page.getByRole('button', { name: `Delete… ${names[2]}` }).click()
    await page.getByRole('dialog').getByText('This is final').waitFor()
    assert.equal(await statusOf(names[2]), 200)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete image' }).click()
    await page.getByText('No open reports.').waitFor()
    assert.deepEqual(await Promise.all(names.map(statusOf)), [200, 404, 404])
    await page.getByLabel('State').selectOption('closed')
    await page.getByRole('img', { name: String(names[1]) }).waitFor()
    await page.locator('.placeholder', { hasText: 'Deleted' }).waitFor()
    const kept = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: String(names[0]) }) })
    await kept.locator('.note', { hasText: /Resolved .* by keeper: kept\.$/ }).waitFor()
    await act('Hide', names[0])
    assert.equal(await statusOf(names[0]), 404)
    await page.getByRole('button', { name: `Delete… ${names[0]}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete image' }).click()
    await kept.locator('.placeholder', { hasText: 'Deleted' }).waitFor()
    assert.equal(await page.getByRole('button', { name: `Delete… ${names[0]}` }).count(), 0)
    await page.getByRole('button', { name: `Delete… ${names[1]}` }).waitFor()
    await act('Free the name', names[0])
    assert.equal(await statusOf(names[0]), 404)
    await act('Show again', names[1])
    assert.equal(await statusOf(names[1]), 200)
    const again = { token: accessToken, body: { name: names[1], reason: hostile } }
    assert.equal((await stage.service.request('POST', '/images/report', again)).status, 201)
    await page.getByLabel('State').selectOption('open')
    const entry = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: String(names[1]) }) })
    await entry.getByRole('button', { name: 'Keep' }).waitFor()
    const own = await stage.service.login('keeper')
    const hiding = { token: own.body.accessToken, body: { name: names[1] } }
    assert.equal((await stage.service.request('POST', '/admin/images/hide', hiding)).status, 200)
    await page.reload()
    await entry.getByRole('button', { name: 'Leave hidden' }).waitFor()
    assert.deepEqual(await entry.getByRole('button', { name: /^(Keep|Hide) / }).count(), 0)
    assert.deepEqual(complaints, [])
  })

  it('find audit events by filters, and one by its link', { skip: noBrowserUnlessFull }, async () => {
    const { page, complaints } = await stage.open('/audit')
    const logins = page.getByRole('rowheader', { name: 'sign in' })
    await logins.first().waitFor()
    await page.getByLabel('Action').selectOption('create-key')
    await logins.first().waitFor({ state: 'detached' })
    await page.getByRole('rowheader', { name: 'create an API key' }).waitFor()
    assert.equal(await page.locator('.change', { hasText: 'null' }).count(), 0)
    assert.equal(await page.getByRole('rowheader').count(), 1)
    await page.getByLabel('To', { exact: true }).fill('2020-01-31')
    await page.getByText('No event matches.').waitFor()
    await page.getByLabel('To', { exact: true }).fill('')
    await assertNoBarriers(page)
    await page.getByTitle('Link to this event').click()
    await page.getByText('One event.').waitFor()
    await page.waitForURL(/audit\?id=/)
    assert.equal(await page.getByRole('rowheader').count(), 1)
    assert.deepEqual(complaints, [])
  })

  it('take the days of the audit by the clock of the one who asks', { skip: noBrowserUnlessFull }, async () => {
    const { page, complaints } = await stage.open('/audit')
    const inspector = await page.context().newCDPSession(page)
    const field = (label: string) => page.getByLabel(label, { exact: true })
    const inAddress = () => {
      const found = new URLSearchParams(page.url().split('?')[1])
      return ['from', 'to'].map((name) => found.get(name)?.replaceAll('"', ''))
    }
    for (const [timezoneId, day, from, to] of [
      ['America/New_York', '9999-12-31', '9999-12-31T05:00:00.000Z', '9999-12-31T23:59:59.999Z'],
      // A day of 25 hours, whose last one begins twice.
      ['America/Santiago', '2026-04-04', '2026-04-04T03:00:00.000Z', '2026-04-05T03:59:59.999Z'],
      ['Asia/Kolkata', '2026-01-31', '2026-01-30T18:30:00.000Z', '2026-01-31T18:29:59.999Z'],
    ] as const) {
      await inspector.send('Emulation.setTimezoneOverride', { timezoneId })
      await page.reload()
      for (const label of ['From', 'To']) await field(label).fill(day)
      await until(async () => String(inAddress()) === `${from},${to}`, timezoneId)
      await page.reload()
      assert.deepEqual([await field('From').inputValue(), await field('To').inputValue()], [day, day])
    }
    await page.getByText('In your time zone, Asia/').first().waitFor()
    assert.deepEqual(complaints, [])
  })

  it('show an administrator everything at a glance, a user the images, and a failure as it is', async () => {
    const { page, complaints } = await stage.open('/overview')
    await page.locator('figure canvas').waitFor()
    for (const heading of ['Images', 'Newest accounts', 'Limits that refused most', 'Latest audit events'])
      await page.getByRole('heading', { name: heading }).waitFor()
    await page.getByRole('heading', { name: 'Components' }).waitFor()
    await page.getByRole('alert').getByText('The status worker does not answer.').waitFor()
    await assertNoBarriers(page)
    assert.deepEqual(complaints, [])
    await stage.open('/overview', { username: 'warden' })
    await page.getByRole('heading', { name: 'Images' }).waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Newest accounts' }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Users' }).count(), 0)
  })

  it('shows a key that was on its way when its form was closed and the page left, to nobody else, and says that a lost reply may be one', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page } = await stage.open('/keys', { username: 'reporter' })
    const begin = async (name: string) => {
      const { promise: held, resolve: hold } = Promise.withResolvers<Route>()
      await page.route(/\/auth\/keys$/, (route) =>
        route.request().method() === 'POST' ? hold(route) : route.continue(),
      )
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByLabel('Name').fill(name)
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      return held
    }
    const slow = await begin('slow')
    await page.keyboard.press('Escape')
    await page.getByText('Press Escape again to close this. What you have written is being sent').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await slow.continue()
    await page.getByRole('dialog', { name: 'API key: slow' }).waitFor()
    const key = await page.getByLabel('Key', { exact: true }).inputValue()
    const { status } = await stage.service.request('GET', '/images/fox/random', { token: `Bearer ${key}` })
    assert.equal(status, 200)
    await page.getByRole('button', { name: 'I have copied it' }).click()

    await page.evaluate("location.hash = '#/keys'")
    await page.unroute(/\/auth\/keys$/)
    const refused = await begin('refused')
    await page.keyboard.press('Escape')
    const asked = page.getByText('Press Escape again to close this. What you have written is being sent')
    await asked.waitFor()
    await refused.fulfill({ status: 400, json: { error: 'Not today' } })
    await page.getByText('Not today').waitFor()
    await asked.waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.getByText('Press Escape again to discard what you have written.').waitFor()
    await page.keyboard.press('Escape')

    await page.unroute(/\/auth\/keys$/)
    const first = await begin('first')
    for (let press = 0; press < 2; press++) await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('second')
    await first.continue()
    await page.getByRole('dialog', { name: 'API key: first' }).waitFor()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    assert.equal(await page.getByLabel('Name').inputValue(), 'second')
    for (let press = 0; press < 2; press++) await page.keyboard.press('Escape')

    await page.unroute(/\/auth\/keys$/)
    const late = await begin('late')
    const response = await late.fetch()
    for (let press = 0; press < 2; press++) await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, 'warden')
    await late.fulfill({ response })
    await page.getByRole('link', { name: 'Keys' }).click()
    await page.getByText('No API keys.').waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0, 'of somebody else')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, 'reporter')

    await page.getByRole('link', { name: 'Keys' }).click()
    await page.unroute(/\/auth\/keys$/)
    const lost = await begin('lost')
    await lost.fetch()
    await lost.abort()
    await page.getByText('It may have been done all the same: look before you send it again.').waitFor()
    // Behind the dialog, which hides it from roles.
    await page.locator('td, th').getByText('lost', { exact: true }).first().waitFor()
    await page.close()
  })
})
