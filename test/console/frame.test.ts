import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openWorker, type TestWorker } from '../status/worker-stage.ts'
import { noBrowserUnlessFull } from '../support/chromium.ts'
import { StatusServer } from '../support/status-servers.ts'
import { until } from '../support/until.ts'
import { assertNoBarriers, type ConsoleStage, openConsoleStage } from './stage.ts'

/** As long as it may be. */
const siteName = 'The <b>photographs</b> of "foxes" & birds of $& Lake Constance'.slice(0, 60)

const pages = [
  ['/overview', 'Overview'],
  ['/users', 'Users'],
  ['/images', 'Images'],
  ['/reports', 'Reports'],
  ['/keys', 'Keys and links'],
  ['/audit', 'Audit'],
  ['/status', 'Status'],
  ['/status/backup', 'backup'],
  ['/sessions', 'Where you are signed in'],
  ['/account', 'Account'],
] as const
const widths = [360, 639, 640, 768, 960, 1024, 1100, 1247, 1248, 1280, 1920, 2560]

/** What is wider than its place, other than a text that is cut on purpose. */
const sideways = `[document.documentElement, ...document.querySelectorAll('nav, main, main *')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 1)
  .filter((each) => each === document.documentElement || /auto|scroll/.test(getComputedStyle(each).overflowX))
  .map((each) => each.getAttribute('aria-label') ?? each.className ?? each.tagName)`

interface Edges {
  readonly left: number
  readonly right: number
}

/** The inner edges, without padding, of what the selector finds. */
const edgesOf = (page: Page, selector: string): Promise<Edges> =>
  page.evaluate(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)})
    const { left, right } = element.getBoundingClientRect()
    const { paddingLeft, paddingRight } = getComputedStyle(element)
    return { left: left + parseFloat(paddingLeft), right: right - parseFloat(paddingRight) }
  })()`)

describe('The frame of the console', { skip: noBrowserUnlessFull }, () => {
  let stage: ConsoleStage
  let worker: TestWorker
  let token: string
  let readerId: string

  before(async () => {
    const chat = await StatusServer.open(() => ({ status: 204 }))
    worker = await openWorker({
      env: {
        STATUS_TARGETS: 'chat',
        STATUS_TARGET_CHAT_KIND: 'discord',
        STATUS_TARGET_CHAT_URL: `${chat.url}/api/webhooks/123/secret-of-the-chat`,
      },
    })
    stage = await openConsoleStage({
      env: { STATUS_WORKER_URL: worker.url, SAMPLE_IMAGES: 'true', SITE_NAME: siteName },
    })
    for (const id of ['backup', 'certificates-of-the-mail-server']) await worker.beat(id)
    await worker.ask('POST', '/heartbeat/backup', { status: 'degraded', message: 'two of three disks are full' })
    token = (await stage.service.login('keeper')).body.accessToken
    const send = async (path: string, body: object) => {
      const reply = await stage.service.request('POST', path, { token, body })
      assert.ok(reply.status < 300, reply.text)
      return reply.body
    }
    await send('/auth/keys', {
      name: 'a name of a key with words',
      scopes: ['images', 'upload', 'store', 'admin:read'],
    })
    await send('/auth/embed', { kind: 'fox', ttl: '30d' })
    const { id } = await stage.service.register('reader-with-a-name-of-32-letters')
    await send('/admin/ban', {
      userId: id,
      reason: 'one-long-word-about-photographs-of-foxes',
      until: '2999-12-31T23:59:59Z',
    })
    await send('/admin/unban', { userId: id })
    readerId = id
    const { images } = (await stage.service.request('GET', '/images/fox', { token })).body
    await send('/images/report', { name: images[0].name, reason: 'No fox' })
  })

  const show = async (page: Page, [path, title]: readonly [string, string]) => {
    await page.evaluate(`location.hash = ${JSON.stringify(path)}`)
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await until(async () => (await page.locator('.loading').count()) === 0, 'the page to load')
  }

  it('scrolls nothing sideways, on any page from 360 to 2,560 px', async () => {
    const { page, complaints } = await stage.open()
    const found: string[] = []
    const ofUser = [`/users/${readerId}`, 'reader-with-a-name-of-32-letters'] as const
    for (const each of [...pages, ofUser]) {
      await show(page, each)
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        // Cards and plots follow with the next frame.
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
        for (const name of await page.evaluate<string[]>(sideways)) found.push(`${each[0]} ${width}: ${name}`)
      }
    }
    assert.deepEqual(found, [])
    assert.deepEqual(complaints, [])
  })

  it('lines up the bar, the navigation and the content of every page at 1,920 and 2,560 px', async () => {
    const { page } = await stage.open()
    for (const width of [1920, 2560])
      for (const each of pages) {
        await show(page, each)
        await page.setViewportSize({ width, height: 900 })
        const [bar, entry, main, title] = await Promise.all(
          ['.top', '.console-nav a', 'main', 'h1'].map((selector) => edgesOf(page, selector)),
        )
        assert.ok(bar && entry && main && title)
        const label = `${each[0]} ${width}`
        assert.deepEqual([entry.left, main.right, title.left], [bar.left, bar.right, main.left], label)
        assert.ok(main.right - entry.left <= 1600 && Math.abs(entry.left - (width - main.right)) <= 1, label)
      }
  })

  it('shows a table as cards with the headings beside the values under 640 px, and as a table from there on', async () => {
    const { page } = await stage.open('/users')
    const row = page.getByRole('row', { name: 'reader-with-a-name-of-32-letters' })
    const label = (cell: number): Promise<string> =>
      page.evaluate(`(() => {
        const row = [...document.querySelectorAll('tbody tr')].find((each) => /reader/.test(each.textContent))
        return getComputedStyle(row.querySelectorAll('td')[${cell}], '::before').content
      })()`)
    await page.setViewportSize({ width: 640, height: 900 })
    await row.waitFor()
    assert.equal(await label(0), 'none')
    assert.equal(await page.getByRole('columnheader', { name: 'Role' }).isVisible(), true)
    await page.setViewportSize({ width: 639, height: 900 })
    await until(async () => (await label(0)) !== 'none')
    assert.deepEqual(
      [await label(0), await label(3)].map((content) => content.split(' /')[0]),
      ['"Role"', '"Requests"'],
    )
    // What sorts is still there, and rows that come later are labelled too.
    await page.getByRole('button', { name: 'Username' }).click()
    await page.waitForURL(/sort=username/)
    await page.getByLabel('Search').fill('reader')
    await page.getByRole('row', { name: 'keeper' }).waitFor({ state: 'detached' })
    assert.match(await label(0), /^"Role"/)
    await assertNoBarriers(page)
  })

  it('counts open reports and incidents beside their entries, once a minute and only in a visible tab', async () => {
    const { page, complaints } = await stage.open('/account')
    await page.clock.install()
    await page.reload()
    const nav = page.getByRole('navigation', { name: 'Console' })
    await nav.getByRole('link', { name: 'Reports 1 open' }).waitFor()
    // A component that is degraded.
    await nav.getByRole('link', { name: 'Status 1 open' }).waitFor()
    assert.equal(await nav.locator('a > svg').count(), await nav.getByRole('link').count())
    const incident = {
      title: 'Slow uploads',
      level: 'partial',
      components: ['backup'],
      stage: 'investigating',
      text: 'Slow',
    }
    const reply = await stage.service.request('POST', '/admin/status/incidents', { token, body: incident })
    assert.equal(reply.status, 201, reply.text)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.clock.fastForward(61_000)
    await nav.getByRole('link', { name: 'Status 2 open' }).waitFor()
    const status = ['components', 'incidents', 'incidents/written'].map((each) => `/admin/status/${each}`)
    assert.deepEqual(asked.sort(), ['/admin/reports', ...status])
    asked.length = 0
    await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)
    await page.clock.fastForward(240_000)
    assert.deepEqual(asked, [])
    await assertNoBarriers(page)
    assert.deepEqual(complaints, [])
    await page.close()
  })

  it('tells every time relative to now, with the exact time in ISO 8601 on hover', async () => {
    const { page } = await stage.open()
    let count = 0
    for (const each of pages) {
      await show(page, each)
      const times = await page.evaluate<string[][]>(
        "[...document.querySelectorAll('main time')].map((each) => [each.textContent, each.title, each.dateTime])",
      )
      count += times.length
      for (const [text = '', title = '', at = ''] of times) {
        assert.match(text, /^(just now|yesterday|tomorrow|(in )?\d+ \w+( ago)?|(last|next) (month|year))$/, each[0])
        assert.equal(title, `${at.slice(0, 19)}Z`)
      }
    }
    assert.ok(count > 10)
    // None is written in another way.
    await show(page, ['/status', 'Status'])
    assert.doesNotMatch(await page.locator('main').innerText(), /\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/)
  })

  it('names the site in the bar, in every title and by the form for signing in', async () => {
    const { page } = await stage.open()
    for (const each of pages) {
      await show(page, each)
      assert.equal(await page.title(), `${each[1]} · ${siteName}`)
    }
    assert.equal(await page.getByRole('banner').getByRole('link').first().innerText(), siteName)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    assert.equal(await page.title(), `Sign in · ${siteName}`)
    await page.getByText(siteName).waitFor()
    await assertNoBarriers(page)
  })

  it('follows the theme that another tab has chosen, once it is seen again', async () => {
    const { page } = await stage.open()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByLabel('Theme').selectOption('Dark')
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await until(async () => (await page.getByLabel('Theme').inputValue()) === 'dark')
    await other.getByLabel('Theme').selectOption('System')
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await until(async () => (await page.getByLabel('Theme').inputValue()) === 'system')
    await other.close()
    await page.close()
  })

  it('keeps the chosen theme in this browser, shows it without any script, and follows the system otherwise', async () => {
    const { page, complaints } = await stage.open()
    const ground = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const [light, dark] = ['rgb(255, 255, 255)', 'rgb(16, 19, 22)']
    await page.emulateMedia({ colorScheme: 'light' })
    await page.getByLabel('Theme').selectOption('Dark')
    assert.equal(await ground(), dark)
    await page.route('**/*.js', (route) => route.abort())
    await page.reload()
    assert.deepEqual([await ground(), await page.locator('h1').count()], [dark, 0])
    await page.unroute('**/*.js')
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    assert.equal(await ground(), dark)
    await page.getByLabel('Theme').selectOption('Light')
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.equal(await ground(), light)
    await page.getByLabel('Theme').selectOption('System')
    assert.equal(await ground(), dark)
    assert.equal(await page.evaluate('document.cookie'), '')
    await page.emulateMedia({ colorScheme: 'light' })
    assert.equal(await ground(), light)
    assert.deepEqual(
      complaints.filter((each) => !/ERR_FAILED/.test(each)),
      [],
    )
  })
})
