import type { Browser, BrowserContext, Page, Route } from 'playwright-core'
import { password } from '../seed-all.ts'
import type { Scene } from './scenes.ts'
import { now, type Person, type World } from './worlds.ts'

const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

/**
 * The console corrects the browser's clock by this header, which Node writes by the clock of the machine. Timers of
 * seconds, which repeat requests and hide messages, would race with the pictures. Columns that an earlier scene has chosen
 * are forgotten.
 */
const stillTime = `{
  const read = Headers.prototype.get
  Headers.prototype.get = function get(name) { return name.toLowerCase() === 'date' ? null : read.call(this, name) }
  for (const name of ['setTimeout', 'setInterval']) {
    const start = window[name]
    window[name] = (act, ms, ...rest) => (ms >= 3000 ? 0 : start(act, ms, ...rest))
  }
  if (location.protocol !== 'about:') localStorage.removeItem('menagerie.user-columns')
}`

export interface Seats {
  readonly url: string
  /** Windows that show nothing now. */
  readonly free: Page[]
  open(): Promise<Page>
}

/** Windows whose time stands still, with this person signed in. */
export async function openSeats(browser: Browser, world: World, person: Person | null): Promise<Seats> {
  const open = async (storageState?: Awaited<ReturnType<BrowserContext['storageState']>>) => {
    const context = await browser.newContext({
      userAgent,
      locale: 'en-GB',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
      deviceScaleFactor: 1,
      // For the style with which Playwright hides the caret.
      bypassCSP: true,
      ...(storageState && { storageState }),
    })
    await context.clock.setFixedTime(now)
    await context.addInitScript(stillTime)
    return context.newPage()
  }
  const first = await open()
  if (person !== null) await signIn(first, world, person)
  const state = await first.context().storageState()
  return { url: world.url, free: [first], open: () => open(state) }
}

async function signIn(page: Page, { url, people }: World, person: Person): Promise<void> {
  await page.goto(`${url}/console`)
  await page.getByLabel('Username').fill(people[person])
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Console' }).waitFor()
}

const isData = (url: URL) => /^\/(admin|auth|images|status\.json)\b/.test(url.pathname)

export async function openScene(page: Page, url: string, scene: Scene): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.goto('about:blank')
  await page.route('**/admin/service', (route) => change(route, hideMachine))
  await page.route('**/auth/me', (route) => change(route, hideUse))
  await page.route('**/auth/embed', (route) => change(route, hideEnds))
  await page.route('**/admin/status/targets', (route) => change(route, hidePort))
  if (scene.network === 'never replies') await page.route(isData, () => {})
  if (scene.network === 'fails') await page.route(isData, (route) => route.fulfill(unavailable))
  for (const { method, path, body } of scene.replies ?? [])
    await page.route(`**${path}`, (route) =>
      route.request().method() === method ? route.fulfill({ status: body.status, json: body }) : route.fallback(),
    )
  await page.goto(scene.path.startsWith('!') ? url + scene.path.slice(1) : `${url}/console#${scene.path}`)
  for (const step of scene.steps ?? []) {
    await waitUntilLoaded(page, scene)
    await step(page)
  }
  // Nothing is under the pointer.
  await page.mouse.move(0, 0)
}

const unavailable = {
  status: 503,
  json: { status: 503, message: 'Service is temporarily unavailable, please try again' },
}

type Body = Record<string, unknown>

async function change(route: Route, act: (body: Body) => Body): Promise<void> {
  const response = await route.fetch()
  await route.fulfill({ response, json: act((await response.json()) as Body) })
}

/** Its name, how full its disk is and how long the service has been running. */
const hideMachine = (body: Body): Body => ({
  ...body,
  instance: 'api-menagerie-3000',
  version: '0.3.0',
  uptimeSeconds: 100_000,
  disk: null,
})

/** How many requests the pictures have taken. */
const hideUse = ({ limits, ...body }: Body): Body => ({
  ...body,
  limits: (limits as Body[] | undefined)?.map((each) => ({ ...each, limit: 1000, remaining: 993, resetAt: null })),
})

/** Of the URLs of embed links, which differ each time. */
const hideEnds = ({ links, ...body }: Body): Body => ({
  ...body,
  links: (links as { readonly url: string }[] | undefined)?.map(({ url, ...each }) => ({
    ...each,
    url: `${url.slice(0, -8)}0123wxyz`,
  })),
})

/** Of what the worker pushes to. */
const hidePort = ({ targets, ...body }: Body): Body => ({
  ...body,
  targets: (targets as Body[] | undefined)?.map((each) => ({ ...each, host: 'status.example.org' })),
})

const loading = '.loading, [aria-busy=true]'

/** All is there that is to be shown, and drawn. */
export async function waitUntilLoaded(page: Page, { network, path }: Scene): Promise<void> {
  if (!path.startsWith('!')) await page.locator('main').waitFor()
  const isLoaded = `!document.querySelector('${loading}')`
  const isExpected = network === 'never replies' ? `document.querySelector('${loading}') !== null` : isLoaded
  // Pictures start to load when they are near the window.
  const isDrawn = `document.fonts.status === 'loaded' &&
    ![...document.querySelectorAll('.picture-place')]
      .some((place) => place.checkVisibility() && place.getBoundingClientRect().top < innerHeight) &&
    [...document.images].every((image) => image.complete || image.getBoundingClientRect().top > innerHeight)`
  await page.waitForFunction(`${isExpected} && (${network !== undefined} || ${isDrawn})`)
}

const replaceIds = `{
  const id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const { currentNode: node } = walker
    if (node.data.search(id) >= 0) node.data = node.data.replace(id, '01973567-89ab-7cde-8f01-23456789abcd')
  }
}`

const twoFrames = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

export async function waitUntilStill(page: Page, scene: Scene): Promise<void> {
  await waitUntilLoaded(page, scene)
  await page.evaluate(replaceIds)
  await page.evaluate(twoFrames)
}
