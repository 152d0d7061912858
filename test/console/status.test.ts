import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { tickMs } from '../../src/status/deadlines.ts'
import { openWorker, type TestWorker } from '../status/worker-stage.ts'
import { noBrowser, noBrowserUnlessFull } from '../support/chromium.ts'
import { fakeClock } from '../support/clock.ts'
import { StatusServer } from '../support/status-servers.ts'
import { until } from '../support/until.ts'
import { assertNoBarriers, type ConsoleStage, openConsoleStage, signIn } from './stage.ts'

const hostile = '<img src=x onerror="document.title=1">\u202etext'

describe('Status in the console', { skip: noBrowser }, () => {
  let stage: ConsoleStage
  let worker: TestWorker
  let chat: StatusServer

  before(async () => {
    chat = await StatusServer.open(() => ({ status: 204 }))
    const pager = await StatusServer.open(() => ({ status: 404 }))
    worker = await openWorker({
      env: {
        STATUS_TARGETS: 'chat,pager',
        STATUS_GROUP_SECONDS: '0',
        STATUS_TARGET_PAGER_KIND: 'discord',
        STATUS_TARGET_PAGER_URL: `${pager.url}/api/webhooks/123/another-secret`,
        STATUS_TARGET_CHAT_KIND: 'discord',
        STATUS_TARGET_CHAT_URL: `${chat.url}/api/webhooks/123/secret-of-the-chat`,
      },
    })
    stage = await openConsoleStage({ env: { STATUS_WORKER_URL: worker.url } })
    for (const id of ['backup', 'mail']) await worker.beat(id)
    await worker.ask('POST', '/heartbeat/mail', { status: 'degraded', message: hostile })
  })

  it('shows components with their deadlines, tests a target, and retires a component', async () => {
    const { page, complaints } = await stage.open('/status')
    await page.getByText(hostile).waitFor()
    await page.getByRole('row', { name: /^mail/ }).getByText('chat: no outage').waitFor()
    const heights = await page.locator('.is-told > div').evaluateAll((told) => told.map((each) => each.clientHeight))
    assert.ok(heights.length >= 4 && Math.max(...heights) < 30, `one line each: ${heights}`)
    const nothingSent = page.getByText("Nothing sent since the worker's start.", { exact: true })
    await until(async () => (await nothingSent.count()) === 2)
    await page.getByRole('link', { name: 'how one is sent' }).waitFor()
    assert.match((await stage.service.request('GET', '/docs')).text, / id="sending-heartbeats"/)
    await page.getByRole('button', { name: 'Send a test to chat' }).click()
    await page.locator('.entries p', { hasText: /^Test .*: accepted/ }).waitFor()
    assert.equal(chat.asked.length, 1)
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText('Heartbeat timeout', { exact: true }).waitFor()
    const diagnostics = page.locator('section', { has: page.getByRole('heading', { name: 'Diagnostics' }) })
    await diagnostics.getByText('not set up', { exact: true }).waitFor()
    assert.equal(await diagnostics.locator('.is-bad').count(), 0, 'what was never set up is no fault')
    await assertNoBarriers(page)
    assert.doesNotMatch(await page.content(), /secret-of-the-chat/)
    await page.getByRole('button', { name: 'Retire backup' }).click()
    await assertNoBarriers(page, [390])
    const present = await page.locator('.console-nav [aria-current]').boundingBox()
    assert.ok(present && present.x > 0 && present.x + present.width < 390, 'the present entry of the navigation')
    await page.getByRole('dialog').getByRole('button', { name: 'Retire' }).click()
    await page.getByRole('rowheader', { name: 'backup' }).waitFor({ state: 'detached' })
    assert.deepEqual(complaints, [])
  })

  it('begins with what the number in its navigation counts, and tells a failed test from a passed one', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page, complaints } = await stage.open('/status')
    const openNow = page.locator('section', { has: page.getByRole('heading', { name: 'Open now' }) })
    await openNow.getByRole('link', { name: 'mail' }).waitFor()
    await worker.beat('queue', 'outage')
    await page.reload()
    const queue = page.getByRole('row', { name: /^queue/ })
    await queue.getByText('pager: “outage” failed, is tried again', { exact: true }).waitFor()
    await queue.getByText('chat: outage', { exact: true }).waitFor()
    await queue.getByRole('link', { name: 'queue' }).click()
    const told = page.getByRole('definition').filter({ hasText: 'chat: outage' })
    assert.match(String(await told.textContent()), /pager: “outage” failed: .+, is tried again/)
    await page.goBack()
    await openNow.getByText('and the alert channels that were told of it learn who is looking after it.').waitFor()
    await page
      .getByText(/^What was not accepted is sent again, .* until it is accepted or replaced by newer news;/)
      .waitFor()
    assert.equal(await page.getByText(/^What was not accepted/).count(), 1, 'only of the pager')
    const count = await openNow.getByRole('listitem').count()
    await page.getByRole('link', { name: `Status ${count} open` }).waitFor()
    await page.getByRole('button', { name: 'Send a test to pager' }).click()
    await page.locator('.toast.is-failure', { hasText: 'Test of pager: failed' }).waitFor()
    await page.locator('.entries p', { hasText: /^Test .*: failed/ }).waitFor()
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('has a way to each section of the page, below the bars at its top', { skip: noBrowserUnlessFull }, async () => {
    const { page, complaints } = await stage.open('/status')
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 700 })
      const links = page.getByRole('navigation', { name: 'On this page' }).getByRole('button')
      const summary = page.getByText('On this page', { exact: true })
      await summary.waitFor()
      if (!(await links.first().isVisible())) await summary.click()
      const names = await links.allTextContents()
      const headings = await page.locator('main h2').allTextContents()
      assert.deepEqual(
        headings.filter((each) => each !== 'Open now'),
        names,
      )
      for (const name of names) {
        await links.getByText(name, { exact: true }).click()
        const heading = page.getByRole('heading', { name, exact: true })
        await heading.and(page.locator(':focus')).waitFor()
        const isSeen = `(({ left, top }) => document.elementFromPoint(left + 2, top + 2)?.textContent)(document.activeElement.getBoundingClientRect())`
        await until(async () => (await page.evaluate(isSeen)) === name)
      }
    }
    assert.deepEqual(complaints, [])
  })

  it('asks before a text is lost on a page whose address was pasted, and before another address is pasted', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page } = await stage.open('/account')
    await page.setViewportSize({ width: 390, height: 560 })
    await page.evaluate("location.hash = '#/status'")
    await page.getByRole('button', { name: 'New announcement' }).click()
    const field = page.getByRole('dialog').getByLabel('Text')
    for (const leave of [() => page.goBack(), () => page.evaluate("location.hash = '#/images'")]) {
      await field.fill(`The zoo opens late ${leave}`)
      await page.locator('.dialog-body').evaluate((body) => body.scrollTo(0, body.scrollHeight))
      await leave()
      const warning = page.getByText('Go back again to discard what you have written.')
      await warning.waitFor()
      const isSeen = await warning.evaluate((shown) => {
        const { x, y, width, height } = shown.getBoundingClientRect()
        return shown.ownerDocument.elementFromPoint(x + width / 2, y + height / 2) === shown
      })
      assert.ok(isSeen, 'wherever the dialog is scrolled to')
      await page.waitForURL(/#\/status$/)
      assert.match(await field.inputValue(), /^The zoo opens late/)
    }
    await page.goBack()
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
    await page.goForward()
    await page.getByRole('heading', { name: 'Status', level: 1 }).waitFor()
    await page.close()
  })

  it('keeps what was written when the session ends elsewhere, for the same person, and says so', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page } = await stage.open('/status')
    await page.getByRole('button', { name: 'New announcement' }).click()
    await page.getByRole('dialog').getByLabel('Text').fill('The zoo opens late')
    await stage.endSessions('keeper')
    await page.getByRole('button', { name: 'Announce' }).click()
    await page.getByText('What you were writing is back when you sign in').waitFor()
    await signIn(page, 'keeper')
    await page.getByRole('button', { name: 'New announcement' }).click()
    assert.equal(await page.getByRole('dialog').getByLabel('Text').inputValue(), 'The zoo opens late')
    // A form of its own has its own text, and an untouched one promises nothing.
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByText('Press × again to discard').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Plan maintenance', exact: true }).click()
    assert.equal(await page.getByRole('dialog').getByLabel('Text').inputValue(), '')
    await stage.endSessions('keeper')
    // The page reads the components again.
    await page.getByText('Your sign-in was ended elsewhere').waitFor()
    await page.getByText('Your sign-in was ended elsewhere').waitFor()
    assert.equal(await page.getByText('What you were writing is back').count(), 0)
    await page.close()
  })

  it('of a silent component says what its last heartbeat reported, and of one that the settings name that none came', {
    skip: noBrowserUnlessFull,
  }, async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const clock = fakeClock(Date.now() - 600_000)
    const quiet = await openWorker({ overrides: { clock } })
    await Promise.all([
      quiet.ask('POST', '/heartbeat/disk/3?expectWithinSeconds=60', Buffer.from(`starting\n${hostile}\n`)),
      quiet.ask('POST', '/heartbeat/hang/start?maxRunSeconds=60&expectWithinSeconds=3600'),
    ])
    for (let passed = 0; passed < 120_000; passed += tickMs) {
      clock.advance(tickMs)
      t.mock.timers.tick(tickMs)
    }
    // The mocked timers have ended the idle connections of both.
    await until(async () => (await quiet.ask('GET', '/incidents').catch(() => null))?.body.incidents.length === 2)
    t.mock.timers.reset()
    const env = { STATUS_WORKER_URL: quiet.url, STATUS_PAGE_COMPONENTS: 'disk=Disk,nightly=Nightly' }
    const other = await openConsoleStage({ env })
    const { page, complaints } = await other.open('/status')
    const openNow = page.locator('section', { has: page.getByRole('heading', { name: 'Open now' }) })
    assert.match(
      await openNow.innerText(),
      /^silent disk, down since .*\nIts last heartbeat, .* reported “outage”\.\nexit code 3: <img/m,
    )
    assert.match(await openNow.innerText(), /^run did not end hang, began .*\nThe run of .+ did not end within 60 s$/m)
    await page.getByText('Its run was to end').waitFor()
    const inMaintenance = openNow.getByText('In maintenance, which the public page shows instead.')
    assert.equal(await inMaintenance.count(), 0)
    const token = (await other.service.login('keeper')).body.accessToken
    const body = { components: ['disk', 'hang'], until: new Date(Date.now() + 60_000).toISOString() }
    const { maintenance } = (await other.service.request('POST', '/admin/status/maintenance', { token, body })).body
    await page.reload()
    await inMaintenance.waitFor()
    assert.equal(await inMaintenance.count(), 1, 'only of what is shown')
    await other.service.request('DELETE', `/admin/status/maintenance/${maintenance.id}`, { token })
    await page.reload()
    await page.getByText('Its run was to end').waitFor()
    await page.goto(page.url().replace('#/status', '#/status/nightly'))
    await page.getByText('no alert is sent, before its first one.').waitFor()
    await page.goto(page.url().replace('#/status/nightly', '#/status/nothing'))
    await page.getByText('The status worker does not know this component.').waitFor()
    assert.deepEqual(complaints, [])
    await page.close()
    await quiet.close()
  })

  it('says that no worker is set up, as one sentence, asks it nothing, and says only once that it is unavailable', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page } = await stage.open('/account')
    await page.route('**/admin/status/**', (route) =>
      route.fulfill({ status: 503, json: { status: 503, message: 'Status worker is unavailable' } }),
    )
    await page.getByRole('link', { name: /^Status/ }).click()
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByRole('alert').count(), 1)
    await page.route('**/admin/service', async (route) => {
      const body = await (await route.fetch()).json()
      await route.fulfill({ json: { ...body, statusWorker: false } })
    })
    await page.reload()
    await page.getByText('STATUS_WORKER_URL is not set').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/admin/status/')) asked.push(request.url())
    })
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('Nothing.').waitFor()
    assert.deepEqual(asked, [])
    await assertNoBarriers(page, [390])
    await page.close()
  })

  it('announces maintenance and announcements, changes and ends them, and shows refusals with the messages of the worker', async () => {
    const { page, complaints } = await stage.open('/status')
    await page.getByRole('button', { name: 'Plan maintenance', exact: true }).click()
    await page.getByText('missed heartbeats of its components open no incident, and no alert is sent').waitFor()
    // Its whole id, without choosing it.
    await page.getByLabel('Find a component').fill('mail')
    await page.getByLabel('Text').fill(hostile)
    await page.getByLabel('From').fill('')
    await page.getByLabel('Until').fill('2020-01-01T00:00')
    await page.getByRole('button', { name: 'Plan', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Until').fill(new Date(Date.now() + 86_400_000).toISOString().slice(0, 16))
    await page.getByRole('button', { name: 'Plan', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Maintenance planned. Nobody outside sees it: mail is not on the status page.').waitFor()
    const mail = page.getByRole('row', { name: /^mail/ })
    await mail.getByRole('cell', { name: 'none until the maintenance ends' }).waitFor()
    await page.getByRole('rowheader', { name: 'mail' }).getByRole('link').click()
    const facts = page.getByRole('definition').filter({ hasText: /^none until the maintenance ends$/ })
    await until(async () => (await facts.count()) === 2)
    await page
      .getByRole('definition')
      .filter({ hasText: /^until \d.*all maintenance/ })
      .waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Plan maintenance', exact: true }).click()
    await page.getByRole('checkbox', { name: 'mail is in maintenance now' }).waitFor()
    const offered = page.getByRole('group', { name: 'Components' }).locator('label.check')
    const before = await offered.allTextContents()
    for (const isChosen of [true, false]) {
      await offered.last().click()
      assert.equal(await offered.last().locator('input').isChecked(), isChosen)
      assert.deepEqual(await offered.allTextContents(), before)
    }
    const last = String(before.at(-1))
    await page.getByLabel('Find a component').fill(last)
    await page.getByRole('checkbox', { name: last }).check()
    await page.getByLabel('Find a component').fill('')
    await until(async () => (await offered.count()) === before.length)
    assert.deepEqual(await offered.allTextContents(), [last, ...before.slice(0, -1)], 'found is at the top')
    await page.getByRole('checkbox', { name: last }).uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Change maintenance' }).click()
    assert.equal(await page.getByLabel('Text').inputValue(), hostile)
    const longer = new Date(Date.now() + 172_800_000).toISOString().slice(0, 16)
    await page.getByLabel('Until').fill(longer)
    await page.keyboard.press('Escape')
    await page.getByText('again to discard').waitFor()
    const changing = page.waitForRequest((request) => request.method() === 'PUT')
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
    assert.deepEqual((await changing).postDataJSON(), { until: new Date(longer).toISOString() }, 'only what differs')
    await page.getByText('Maintenance changed. Nobody outside sees it').waitFor()
    const text = page.locator('.entries .text', { hasText: hostile })
    await text.waitFor()
    await page.getByRole('button', { name: 'Change maintenance' }).click()
    await page.getByLabel('Text').fill('')
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
    await text.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Plan maintenance', exact: true }).click()
    await page.getByLabel('Find a component').fill('mail')
    await page.getByRole('button', { name: 'Plan', exact: true }).click()
    await page.getByText('Other maintenance of mail overlaps it.').waitFor()
    await page.getByRole('button', { name: 'Cancel maintenance' }).click()
    await page.getByRole('dialog').getByText('Other maintenance of mail stays: ').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel maintenance' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'New announcement' }).click()
    await page.getByLabel('Text').fill('The photographs arrive on Monday')
    await page.getByRole('button', { name: 'Announce', exact: true }).click()
    await page.getByText('The photographs arrive on Monday').waitFor()
    await page.getByRole('button', { name: 'Replace announcement' }).click()
    const text2 = page.getByRole('dialog').getByLabel('Text')
    assert.equal(await text2.inputValue(), 'The photographs arrive on Monday')
    await text2.fill('The photographs arrive on Tuesday')
    await page.getByRole('button', { name: 'Replace', exact: true }).click()
    await page.getByText('Announcement replaced.').waitFor()
    await page.locator('li', { hasText: 'on Tuesday' }).getByText('active', { exact: true }).waitFor()
    await page.locator('li', { hasText: 'on Monday' }).getByText('over', { exact: true }).waitFor()
    // Without the messages so far.
    await page.reload()
    const away = { status: 503, json: { status: 503, message: 'Status worker is unavailable' } }
    await page.route('**/announcements/*', (route) => route.fulfill(away))
    await page.getByRole('button', { name: 'Replace announcement' }).click()
    await text2.fill('The photographs arrive on Wednesday')
    await page.getByRole('button', { name: 'Replace', exact: true }).click()
    await page.getByText('Announcement published.').waitFor()
    await page.locator('.toast.is-failure', { hasText: 'The status worker does not answer.' }).waitFor()
    for (const day of ['on Tuesday', 'on Wednesday'])
      await page.locator('li', { hasText: day }).getByText('active', { exact: true }).waitFor()
    await page.unroute('**/announcements/*')
    const tuesday = page.locator('li', { hasText: 'on Tuesday' })
    await tuesday.getByRole('button', { name: 'End now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: /^End / }).click()
    await tuesday.getByText('over', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Plan recurring maintenance' }).click()
    await page.getByRole('checkbox', { name: 'mail' }).check()
    await page.getByLabel('Schedule').fill('0 3 * * fry')
    await page.getByText('This is not a schedule: day of week "fry" is invalid.').waitFor()
    await page.getByLabel('Minutes').fill('120')
    await page.getByRole('button', { name: 'Plan', exact: true }).click()
    await page.locator('input[name=schedule]:invalid').waitFor()
    await page.getByLabel('Schedule').fill('0 3 * * *')
    await page.getByLabel('Time zone').fill('UTC')
    await page.getByText(/Next: (\d+ \w+ \d{4}, 03:00 UTC(; |\.)){3}$/).waitFor()
    await page.getByLabel('Time zone').fill('Mars/Olympus')
    await page.getByText('There is no time zone of this name.').waitFor()
    await page.locator('input[name=tz]:invalid').waitFor()
    await page.getByLabel('Time zone').fill('Asia/Tokyo')
    await page.getByText(/Next: .*, 18:00 UTC;/).waitFor()
    await page.getByLabel('Time zone').fill('UTC')
    const minutes = page.getByLabel('Minutes')
    await minutes.fill('2000')
    await page.getByRole('button', { name: 'Plan', exact: true }).click()
    await page.getByText('Minutes must be a whole number from 1 to 10,080, and no longer than').waitFor()
    assert.deepEqual(await page.locator('.field [aria-invalid]').evaluateAll((all) => all.map(({ id }) => id)), [
      await minutes.getAttribute('id'),
    ])
    await minutes.fill('120')
    await page.getByLabel('Schedule').fill('0 3 * * 0')
    await page.getByRole('button', { name: 'Plan', exact: true }).click()
    await page.getByText(/^Recurring maintenance planned\. First \d+ \w+ \d{4}, 0\d:00 /).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Cancel maintenance' }).nth(4).waitFor()
    await until(async () => (await page.locator('.entries').getByText('recurring', { exact: true }).count()) === 5)
    const agreeTo = (name: string | RegExp) => page.getByRole('dialog').getByRole('button', { name }).click()
    await page.getByRole('button', { name: 'Stop repeating' }).click()
    await agreeTo('Stop repeating')
    // Behind a dialog, nothing has a role.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Cancel maintenance' }).first().waitFor({ state: 'detached' })
    const maintenance = page.locator('section', {
      has: page.getByRole('heading', { name: 'Maintenance', exact: true }),
    })
    const states = await maintenance.locator('li > .badge:first-child').allTextContents()
    const isCancelled = (state: string) => state === 'cancelled'
    assert.ok(states.some(isCancelled) && !states.every(isCancelled), String(states))
    assert.ok(states.slice(states.findIndex(isCancelled)).every(isCancelled), 'what did not take place is last')
    await assertNoBarriers(page, [390])
    for (const left of [1, 0]) {
      await page.getByRole('button', { name: 'End now' }).first().click()
      await page.getByRole('button', { name: /^Keep / }).waitFor()
      await agreeTo(/^End /)
      await page.getByRole('button', { name: 'End now' }).nth(left).waitFor({ state: 'detached' })
    }
    assert.deepEqual(complaints, [])
  })

  it('shows why a list cannot be read until it can, which it detects on its own', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const { page } = await stage.open('/keys')
    await page.getByRole('heading', { name: 'Keys and links' }).waitFor()
    await page.clock.install()
    let asked = 0
    const path = '**/admin/status/incidents*'
    await page.route(path, (route) => {
      asked++
      return route.fulfill({ status: 503, json: { status: 503, message: 'Status worker is unavailable' } })
    })
    await page.reload()
    await page.getByRole('link', { name: 'Status', exact: true }).click()
    const alert = await page.getByRole('alert').elementHandle()
    for (const before = asked; asked < before + 2; ) await page.clock.runFor(5_000)
    assert.equal(await page.evaluate((shown) => shown?.isConnected, alert), true)
    await page.unroute(path)
    await page.clock.runFor(10_000)
    await page.getByText('Nobody has written about an incident.').waitFor()
    await until(async () => (await page.getByRole('alert').count()) === 0)
    await page.close()
  })

  it('finds a webhook reached whatever it answers to a request that is none of its own', {
    skip: noBrowserUnlessFull,
  }, async () => {
    const webhook = await StatusServer.open(() => ({ status: 501, body: 'Not by GET' }))
    const env = { STATUS_SERVICE_KIND: 'webhook', STATUS_SERVICE_URL: webhook.url, STATUS_SERVICE_TOKEN: 'a-token' }
    const other = await openWorker({ env })
    const { page, complaints } = await (await openConsoleStage({ env: { STATUS_WORKER_URL: other.url } })).open(
      '/status',
    )
    await page.getByRole('button', { name: 'Run' }).click()
    const diagnostics = page.locator('section', { has: page.getByRole('heading', { name: 'Diagnostics' }) })
    await diagnostics.getByText('A webhook may refuse this request').waitFor()
    assert.equal(await diagnostics.getByText(/501|Not by GET/).count(), 0)
    await diagnostics.getByText('reached', { exact: true }).waitFor()
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('says that the worker is unavailable, and shows support no diagnostics', {
    skip: noBrowserUnlessFull,
  }, async () => {
    await stage.service.register('helper')
    const { accessToken } = (await stage.service.login('keeper')).body
    const body = { username: 'helper', role: 'support' }
    await stage.service.request('POST', '/admin/user/edit/role', { token: accessToken, body })
    const { page } = await stage.open('/status', { username: 'helper' })
    await page.getByRole('rowheader', { name: 'mail' }).waitFor()
    for (const name of ['Diagnostics', 'Status pages and alert channels'])
      assert.equal(await page.getByRole('heading', { name }).count(), 0)
    assert.equal(await page.getByRole('button', { name: /^Retire/ }).count(), 0)
    await worker.close()
    await page.reload()
    await page.getByText('The status worker does not answer.').first().waitFor()
    await assertNoBarriers(page, [390])
  })
})
