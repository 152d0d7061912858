import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { atEnd } from '../support/at-end.ts'
import { launchBrowser } from '../support/chromium.ts'
import { password, type ServiceSpec, startService, type TestService } from '../support/service.ts'
import { isFullSize } from '../support/size.ts'

const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface Seat {
  readonly page: Page
  /** Errors and warnings of the browser, and requests to other origins. */
  readonly complaints: string[]
}

export interface ConsoleStage {
  readonly service: TestService
  readonly browser: Browser
  /** As from another browser. */
  endSessions(username: string): Promise<void>
  /**
   * Opens this page of the console, such as `/users`, signed in as this user if any. A new window takes a second of CPU,
   * so that of the previous test is reused unless it was closed; a test that leaves more than a page behind closes it.
   */
  open(path?: string, options?: { readonly username?: string | null }): Promise<Seat>
}

/** The real service with the owner `keeper`, and a real browser. */
export async function openConsoleStage(spec: ServiceSpec = {}): Promise<ConsoleStage> {
  const service = await startService({
    ...spec,
    env: { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: password, ...spec.env },
  })
  const browser = await launchBrowser()
  let seat: Seat | undefined
  // It would keep sending requests to the service, which has ended.
  atEnd(() => seat?.page.close())
  return {
    service,
    browser,
    async endSessions(username) {
      const { accessToken: token } = (await service.login(username)).body
      const { sessions } = (await service.request('GET', '/auth/sessions', { token })).body
      for (const { id } of sessions)
        assert.equal((await service.request('DELETE', `/auth/sessions/${id}`, { token })).status, 200)
    },
    async open(path = '/overview', { username = 'keeper' } = {}) {
      const found = seat?.page.isClosed() === false ? seat : undefined
      seat = found ?? (await newSeat(browser, service.url))
      const { page, complaints } = seat
      complaints.length = 0
      await page.setViewportSize({ width: 1280, height: 900 })
      if (found) await page.evaluate(`location.hash = ${JSON.stringify(path)}`)
      else await page.goto(`${service.url}/console#${path}`)
      if (found && username && (await page.getByTitle(`Signed in as ${username} (`).count()) > 0) return found
      if (found) {
        await page.context().clearCookies()
        await page.evaluate('localStorage.clear()')
        await page.reload()
      }
      if (username !== null) await signIn(page, username)
      return seat
    },
  }
}

async function newSeat(browser: Browser, url: string): Promise<Seat> {
  const context = await browser.newContext()
  const page = await context.newPage()
  // A route may still be busy then, and the browser may end first, with all its contexts; neither fails a test.
  page.once('close', () => Promise.allSettled([page.unrouteAll({ behavior: 'ignoreErrors' }), context.close()]))
  const complaints: string[] = []
  page.on('console', (message) => {
    // Chromium reports every reply over 399 as an error; those are the service's own.
    if (/^(error|warning)$/.test(message.type()) && !/the server responded with a status/.test(message.text()))
      complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('blob:')) complaints.push(request.url())
  })
  return { page, complaints }
}

/** Waits until the console knows the user, and has no request left that could see the next change. */
export async function signIn(page: Page, username: string, secret = password): Promise<void> {
  const asked = page.waitForResponse((reply) => new URL(reply.url()).pathname === '/auth/me')
  asked.catch(() => {})
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await Promise.all([asked, page.getByRole('navigation', { name: 'Console' }).waitFor()])
}

const usualWidths = isFullSize ? [390, 768, 1280] : [390]

/**
 * What axe-core finds on the current page, and what is wider than the window. In `npm run test:all` at each width, and
 * at the last one in dark, too: only colours differ.
 */
export async function findBarriers(page: Page, widths = usualWidths): Promise<string[]> {
  const found: string[] = []
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeScript)
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    const schemes = isFullSize && width === widths.at(-1) ? (['light', 'dark'] as const) : (['light'] as const)
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
        violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[]
      }
      for (const { id, nodes } of violations)
        for (const { html, failureSummary } of nodes)
          found.push(`${width} ${colorScheme} ${id}: ${html} ${failureSummary}`)
    }
    const isWide = `[document.documentElement, ...document.querySelectorAll('.dialog')].some(
      (each) => each.scrollWidth > each.clientWidth)`
    if (await page.evaluate(isWide)) found.push(`${width}: scrolls sideways`)
  }
  return found
}

/** With `widths`, for a part of a page such as a dialog: npm test skips it. */
export async function assertNoBarriers(page: Page, widths?: number[]): Promise<void> {
  if (widths && !isFullSize) return
  assert.deepEqual(await findBarriers(page, widths), [])
}
