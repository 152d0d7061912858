import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { summaryComponent, summaryOf } from '../api/status-page/stage.ts'
import { launchBrowser, noBrowserUnlessFull } from '../support/chromium.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { someOf } from '../support/size.ts'
import { json, StatusServer } from '../support/status-servers.ts'

/* These run in the page, so they are strings: the project does not include the types of a browser. */

const cutOff = `[...document.querySelectorAll('main *')]
  .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline')
  .map((element) => element.outerHTML.slice(0, 120))`

const nodes = `(() => {
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL)
  let count = 0
  while (walker.nextNode()) count += 1
  return count
})()`

const unshown = `[...document.querySelectorAll('.later')]
  .filter((part) => ![...part.querySelectorAll('p, li, dl')].some((element) => element.checkVisibility())).length`

/** Texts whose contrast with their background is under 4.5 : 1. */
const faintTexts = `(() => {
  const channels = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number)
  const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
  const luminance = (color) => {
    const [red, green, blue] = channels(color).map((value) => linear(value / 255))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const grounds = new Map([[null, 'rgb(255, 255, 255)']])
  const groundOf = (element) => {
    if (!grounds.has(element)) {
      const color = getComputedStyle(element).backgroundColor
      grounds.set(element, channels(color)[3] === 0 ? groundOf(element.parentElement) : color)
    }
    return grounds.get(element)
  }
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())
  return [...document.body.querySelectorAll('*')].filter(hasText).flatMap((element) => {
    const [ink, ground] = [luminance(getComputedStyle(element).color), luminance(groundOf(element))]
    const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05)
    return contrast < 4.5 ? [contrast.toFixed(2) + ' ' + element.outerHTML.slice(0, 80)] : []
  })
})()`

describe('The reference in a browser', { skip: noBrowserUnlessFull }, () => {
  let service: TestService
  let browser: Browser

  before(async () => {
    const found = summaryOf([summaryComponent('api', 'degraded'), summaryComponent('db')])
    const worker = await StatusServer.open(() => json(200, found))
    service = await startService({
      env: {
        OWNER_USERNAME: 'keeper',
        OWNER_PASSWORD: password,
        STATUS_WORKER_URL: worker.url,
        STATUS_PAGE_COMPONENTS: 'api=Website/Frontend, db=Database/Storage, gone=Never heard of',
      },
    })
    browser = await launchBrowser()
  })

  const open = async (options: BrowserContextOptions) => {
    const page = await browser.newPage(options)
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(`${message.text()} ${message.location().url}`))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => request.url().startsWith(service.url) || complaints.push(request.url()))
    return { page, complaints }
  }

  interface Look {
    readonly width?: number
    /** By default that of the previous test: changing it on a long page takes 0.1 s of CPU. */
    readonly scheme?: 'light' | 'dark'
    readonly hasScript?: boolean
    readonly path?: string
  }
  // Opening a window takes a second of CPU.
  const opened = new Map<boolean, ReturnType<typeof open>>()
  /** Opens the page, in one window with script or one without; fails on complaints and on requests to other origins. */
  const visit = async (
    { width = 1280, scheme, hasScript = true, path = '/docs' }: Look,
    look: (page: Page) => Promise<void>,
  ) => {
    const window =
      opened.get(hasScript) ??
      open(
        hasScript
          ? { permissions: ['clipboard-read', 'clipboard-write'] }
          : { javaScriptEnabled: false, hasTouch: true },
      )
    opened.set(hasScript, window)
    const { page, complaints } = await window
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 800 })
    if (scheme) await page.emulateMedia({ colorScheme: scheme })
    if (!page.url().startsWith(service.url + path)) await page.goto(service.url + path)
    await look(page)
    assert.deepEqual(complaints, [])
  }

  const article = (page: Page, id: string) => page.locator(`article:has(#${id})`)
  const partOf = (page: Page, id: string) => page.locator(`header:has(#${id}) + .later`)
  /** With every part closed, unless `path` leads to one. */
  const reopen = async (page: Page, path = '/docs') => {
    await page.goto('about:blank')
    await page.goto(service.url + path)
  }
  const openAll = async (page: Page) => {
    const button = page.getByRole('button', { name: 'Open all' })
    if (await button.isVisible()) await button.click()
  }

  const schemes = ['light', 'dark'] as const
  const looks = [360, 1280, 768]
    .flatMap((width) => schemes.map((scheme) => ({ width, scheme })))
    .filter(({ width, scheme }) => width !== 768 || scheme === 'light')
  for (const { width, scheme } of someOf(2, looks))
    test(`at ${width} px in ${scheme}, with everything open, nothing is wider than the window, and texts are readable`, () =>
      visit({ width, scheme }, async (page) => {
        await openAll(page)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
        assert.deepEqual([await page.evaluate(cutOff), await page.evaluate(faintTexts)], [[], []])
        const isBright = 'getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0] > 128'
        assert.equal(await page.evaluate(isBright), scheme === 'light')
      }))

  test('the first tab stop skips to the content', () =>
    visit({}, async (page) => {
      await reopen(page)
      await page.keyboard.press('Tab')
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content')
      await page.keyboard.press('Enter')
      assert.equal(await page.evaluate('document.activeElement.id'), 'main')
    }))

  test('until a part is opened, the page has at most 8,000 nodes; then it has those of that part', () =>
    visit({}, async (page) => {
      await reopen(page)
      const before = await page.evaluate<number>(nodes)
      assert.ok(before <= 8000, `${before} nodes`)
      const route = article(page, 'post-authlogin')
      await route.getByRole('button', { name: 'Details' }).click()
      assert.equal(await route.locator('.route-columns').isVisible(), true)
      assert.ok((await page.evaluate<number>(nodes)) > before)
      await route.getByRole('button', { name: 'Details' }).click()
      assert.equal(await partOf(page, 'post-authlogin').isVisible(), false)
    }))

  test('all parts open and close at once', () =>
    visit({}, async (page) => {
      await reopen(page)
      const isOpen = `new Set([...document.querySelectorAll('.later')].map((part) => part.checkVisibility())).values().toArray()`
      assert.deepEqual(await page.evaluate(isOpen), [false])
      await page.getByRole('button', { name: 'Open all' }).click()
      assert.deepEqual(await page.evaluate(isOpen), [true])
      await page.getByRole('button', { name: 'Close all' }).click()
      assert.deepEqual(await page.evaluate(isOpen), [false])
    }))

  test('a link to a route, a setting or shared errors opens it, from the page and from elsewhere', () =>
    visit({}, async (page) => {
      const targets = [
        ['post-authlogin', 'post-authlogin'],
        ['UPLOAD_MAX_BYTES', 'settings-storage'],
        [encodeURIComponent('STATUS_TARGET_<NAME>_KIND'), 'settings-the-status-worker'],
        ['errors-any-token', 'errors-any-token'],
      ] as const
      const assertOpen = async ([target, heading]: (typeof targets)[number]) => {
        await partOf(page, heading).waitFor()
        const box = await page.locator(`[id="${decodeURIComponent(target)}"]`).boundingBox()
        assert.ok(box && box.y >= 56 && box.y < 700, `${target} stands at ${box?.y}`)
      }
      for (const target of targets) {
        await reopen(page, `/docs#${target[0]}`)
        await assertOpen(target)
      }
      await reopen(page)
      for (const target of targets) {
        await page.evaluate(`location.hash = '${target[0]}'`)
        await assertOpen(target)
      }
      await article(page, 'post-authlogin').getByRole('button', { name: 'Details' }).click()
      await page.goBack()
      await reopen(page, '/docs#%')
      assert.equal(await page.locator('.search').isVisible(), true)
    }))

  for (const width of [390, 1280])
    test(`at ${width} px the languages and a call to try are on the first screen, and closed GET routes of the API show Try it`, () =>
      visit({ width }, async (page) => {
        await reopen(page)
        const box = await page.getByRole('radiogroup').boundingBox()
        assert.ok(box && box.y + box.height < 800, `the languages end at ${box && box.y + box.height}`)
        const first = page.getByRole('button', { name: 'Try a random image' })
        const button = await first.boundingBox()
        assert.ok(button && button.y + button.height < 800, `the button ends at ${button && button.y + button.height}`)
        await first.click()
        await page.getByRole('group', { name: 'Try /images/{kind}/random' }).locator(':focus').waitFor()
        await reopen(page)
        const tries = page.locator('.route[data-try]').getByRole('button', { name: 'Try it' })
        assert.equal(await tries.filter({ visible: true }).count(), await page.locator('.route[data-try]').count())
      }))

  test('without script every part is on the page, and its contents link to a route', () =>
    visit({ hasScript: false }, async (page) => {
      assert.equal(await page.evaluate(unshown), 0)
      await page.click('.side a[href="#post-authlogin"]')
      await page.waitForURL('**#post-authlogin')
      const box = await page.locator('#post-authlogin').boundingBox()
      assert.ok(box && box.y >= 56 && box.y < 400, `the heading stands at ${box?.y}`)
    }))

  test('a language is chosen for every sample: at the top, without script too, or at one of them', async () => {
    const assertShown = async (page: Page, language: string) => {
      const shown = "[...document.querySelectorAll('.samples pre')].filter((pre) => pre.checkVisibility())"
      const languages = await page.evaluate<string[]>(`[...new Set(${shown}.map((pre) => pre.className))]`)
      assert.deepEqual(languages, [`in-${language}`])
    }
    for (const hasScript of [true, false])
      await visit({ hasScript }, async (page) => {
        if (hasScript) await openAll(page)
        await page.locator('.page-tools label', { hasText: 'Python' }).click()
        await assertShown(page, 'python')
        if (!hasScript) return
        const login = article(page, 'post-authlogin').locator('.samples')
        await login.locator('label', { hasText: 'JavaScript' }).click()
        await assertShown(page, 'js')
        assert.equal(await page.locator('.page-tools').getByLabel('JavaScript').isChecked(), true)
      })
  })

  test('on a phone the contents open at a tap, without script', () =>
    visit({ width: 360, hasScript: false }, async (page) => {
      const link = page.locator('.phone-contents a[href="#post-authlogin"]')
      assert.equal(await link.isVisible(), false)
      await page.tap('.phone-contents summary')
      assert.equal(await link.isVisible(), true)
      await link.tap()
      await page.waitForURL('**#post-authlogin')
    }))

  test('on a phone the contents have the links of the sidebar, with script', () =>
    visit({ width: 360 }, async (page) => {
      await reopen(page)
      await page.click('.phone-contents summary')
      await page.locator('.phone-contents a').first().waitFor()
      const links = (list: string) =>
        page.evaluate(`[...document.querySelectorAll('${list} a')].map((link) => link.href)`)
      assert.deepEqual(await links('.phone-contents'), await links('.side'))
    }))

  test('the page has its landmarks, one title, and headings that skip no level', () =>
    visit({}, async (page) => {
      for (const landmark of ['banner', 'main', 'contentinfo', 'navigation'] as const)
        assert.equal(await page.getByRole(landmark).count(), 1, landmark)
      const levels = await page.evaluate<number[]>(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map((heading) => Number(heading.tagName.slice(1)))",
      )
      assert.equal(levels.filter((level) => level === 1).length, 1)
      for (const [index, level] of levels.entries())
        assert.ok(level - (levels[index - 1] ?? 0) <= 1, `heading ${index}`)
    }))

  test('search opens with /, finds the entries that contain all words, and closes with Escape', () =>
    visit({}, async (page) => {
      await reopen(page)
      await page.keyboard.press('/')
      await page.keyboard.insertText('UPLOAD_MAX_BYTES')
      assert.equal(await page.locator('.results a').first().getAttribute('href'), '#UPLOAD_MAX_BYTES')
      await page.keyboard.press('Escape')
      assert.equal(await page.locator('.results').isVisible(), false)
      // What a route does comes before where its words are.
      await page.keyboard.insertText('ban a user')
      assert.equal(await page.locator('.results a').first().getAttribute('href'), '#post-adminban')
      await page.keyboard.press('Escape')
      await page.keyboard.insertText('username already exists register')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Enter')
      await page.waitForURL('**#post-authregister')
      assert.equal(await page.locator('.results').isVisible(), false)
      // By the event of the new address, which comes later.
      await partOf(page, 'post-authregister').waitFor()
    }))

  test('the section in view is marked in the sidebar', () =>
    visit({}, async (page) => {
      for (const id of ['get-imageskindrandom', 'limits', 'post-authlogin']) {
        await page.evaluate(`location.hash = '${id}'`)
        await page.locator(`.side a[href="#${id}"][aria-current="location"]`).waitFor()
        assert.equal(await page.locator('.side [aria-current]').count(), 1)
      }
    }))

  test('a copy button copies the sample that is shown', () =>
    visit({}, async (page) => {
      await openAll(page)
      const sample = article(page, 'post-authlogin').locator('.samples')
      await sample.locator('label', { hasText: 'JavaScript' }).click()
      await sample.getByRole('button').click()
      await sample.getByText('Copied').waitFor()
      const copied = await page.evaluate<string>('navigator.clipboard.readText()')
      assert.equal(copied, await sample.locator('.in-js').textContent())
    }))

  test('a GET route can be tried with a pasted token, which is stored nowhere', () =>
    visit({}, async (page) => {
      const token: string = (await service.login('keeper')).body.accessToken
      // With everything open, what is drawn only in view moves what is clicked.
      await reopen(page)
      const route = article(page, 'get-adminusersearch')
      await route.getByRole('button', { name: 'Try it' }).click()
      await route.getByLabel('username').fill('keeper')
      await route.getByLabel('Access token').fill(token.replace('Bearer ', ''))
      await page.keyboard.press('Enter')
      await route.locator('.response pre').waitFor()
      assert.match((await route.locator('.response').textContent()) ?? '', /^200 OK.*"username": "keeper"/s)
      const stored = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie])')
      assert.equal(stored, '[{},{},""]')
      await page.reload()
      await route.getByRole('button', { name: 'Try it' }).click()
      assert.equal(await route.getByLabel('Access token').inputValue(), '')
      assert.equal(await page.locator('#the-status-worker ~ article .try-it').count(), 0)
    }))

  test('the printed page has the whole content alone, dark on white, though nothing was opened', () =>
    visit({ scheme: 'dark' }, async (page) => {
      await reopen(page)
      await page.pdf({ pageRanges: '1' })
      await page.emulateMedia({ media: 'print' })
      try {
        assert.equal(await page.evaluate(unshown), 0)
        assert.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)')
        for (const hidden of ['.top', '.side', '.to-contents', '.page-tools'])
          assert.equal(await page.locator(hidden).isVisible(), false)
        const states = `[...document.querySelectorAll('.later')].map((one) => getComputedStyle(one).contentVisibility)`
        assert.deepEqual(new Set(await page.evaluate<string[]>(states)), new Set(['visible']))
      } finally {
        await page.emulateMedia({ media: null })
      }
    }))

  const axe = async (page: Page) => {
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
    const found = await page.evaluate<{ id: string; nodes: { html: string; failureSummary: string }[] }[]>(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
    )
    assert.deepEqual(
      found.map(({ id, nodes }) => [id, nodes.length, nodes[0]?.html, nodes[0]?.failureSummary]),
      [],
    )
  }

  // All parts are alike, and on all of them axe takes 40 s of CPU.
  const shorten = `{
    const kept = document.querySelector('.route:has(#get-images)')
    for (const parent of document.querySelectorAll('.side *, main, main *'))
      if (!kept.contains(parent))
        for (const child of [...parent.children].slice(4)) if (!child.contains(kept)) child.remove()
  }`
  const checked = looks.filter(({ width, scheme }) => width !== 768 && (width === 1280 || scheme === 'dark')).reverse()
  for (const { width, scheme } of someOf(1, checked))
    test(`axe finds nothing at ${width} px in ${scheme}, with results, a form and everything open`, () =>
      visit({ width, scheme }, async (page) => {
        await openAll(page)
        await article(page, 'get-images').getByRole('button', { name: 'Try it' }).click()
        await page.keyboard.press('Escape')
        await page.evaluate("document.querySelector('.search input').focus()")
        await page.keyboard.insertText('token')
        await page.evaluate(shorten)
        await axe(page)
      }))

  for (const { width, scheme } of someOf(1, looks))
    test(`axe finds nothing on /status at ${width} px in ${scheme}, nothing is wider, and its texts are readable`, () =>
      visit({ width, scheme, path: '/status' }, async (page) => {
        assert.equal(await page.locator('h1').textContent(), 'Degraded performance')
        assert.equal(await page.locator('.bars').count(), 3)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
        assert.deepEqual([await page.evaluate(cutOff), await page.evaluate(faintTexts)], [[], []])
        await axe(page)
      }))
})
