import type { Page, Response } from 'playwright-core'
import { openPictureBrowser } from './browser.ts'
import { openScene, openSeats, type Seats, waitUntilStill } from './page.ts'
import type { Scene } from './scenes.ts'
import { openWorld, type World, type WorldName } from './worlds.ts'

const known = <Key, Value>(all: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const found = all.get(key) ?? make()
  all.set(key, found)
  return found
}

export interface View {
  readonly width: number
  readonly scheme: 'light' | 'dark'
}

const of = (scheme: View['scheme'], ...widths: readonly number[]) => widths.map((width) => ({ width, scheme }))
const all = [390, 768, 1280, 1920].flatMap((width) => [...of('light', width), ...of('dark', width)])
const some = [...of('light', 390, 1280), ...of('dark', 1280)]

const few = [...of('light', 390), ...of('dark', 1280)]
const guide = of('light', 1280)

export function viewsOf({ size, network }: Scene): readonly View[] {
  if (network !== undefined) return few
  return { page: all, state: some, dialog: some, guide }[size]
}

/** A busy machine is no difference. */
const maxTries = 4

const usualHeight = 900
/** A longer page only repeats its rows. */
const maxHeight = 2_400

/** A scene in one view. */
export interface Shot {
  readonly name: string
  /** PNG. */
  take(): Promise<Buffer>
}

export type Act = (shot: Shot, page: Page) => Promise<unknown>

export type Gallery = Awaited<ReturnType<typeof openGallery>>

const isWhole = ({ size }: Scene) => size === 'page' || size === 'state'

/** Makes the window as long as the page: what is below would not be loaded. */
async function fit(page: Page, scene: Scene, width: number): Promise<void> {
  const usual = scene.height ?? usualHeight
  await page.setViewportSize({ width, height: usual })
  const height = await settledHeight(page, scene)
  if (height > usual) await page.setViewportSize({ width, height: Math.min(height, maxHeight) })
}

/** A plot takes its new width some frames after the window, and until then its legend needs a second line. */
async function settledHeight(page: Page, scene: Scene): Promise<number> {
  for (let before = 0; ; ) {
    await waitUntilStill(page, scene)
    const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
    if (height === before) return height
    before = height
  }
}

/** Of an open dialog only: what is behind it has pictures of its own. */
async function dialogOf(page: Page) {
  const dialog = page.getByRole('dialog')
  const clip = (await dialog.count()) > 0 ? await dialog.last().boundingBox() : null
  return clip && { clip }
}

/** Services and a browser that show scenes, several at once if wanted. */
export async function openGallery() {
  const { browser, version, close } = await openPictureBrowser()
  const worlds = new Map<WorldName, Promise<World>>()
  const seats = new Map<string, Promise<Seats>>()

  /** All windows of a person share one sign-in, since the console lists them. */
  const seatsOf = async (scene: Scene) => {
    const world = await known(worlds, scene.world, () => openWorld(scene.world))
    const person = scene.as === undefined ? 'owner' : scene.as
    return known(seats, `${scene.world} ${person}`, () => openSeats(browser, world, person))
  }

  const showOnce = async (page: Page, url: string, scene: Scene, act: Act) => {
    await page.setViewportSize({ width: 1280, height: usualHeight })
    await page.emulateMedia({ colorScheme: 'light' })
    await openScene(page, url, scene)
    for (const { width, scheme } of viewsOf(scene)) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width, height: scene.height ?? usualHeight })
      const take = async () => {
        // For each try: a busy machine may have measured the page before it was complete.
        if (isWhole(scene)) await fit(page, scene, width)
        await waitUntilStill(page, scene)
        return page.screenshot({ animations: 'disabled', caret: 'hide', scale: 'css', ...(await dialogOf(page)) })
      }
      await act({ name: `${scene.name}-${width}-${scheme}`, take }, page)
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  }

  return {
    version,

    /** Opens the scene and calls `act` in each view; again in all of them if the service did not reply in time. */
    async show(scene: Scene, act: Act): Promise<void> {
      const { url, free, open } = await seatsOf(scene)
      const page = free.pop() ?? (await open())
      for (let tries = 1; ; tries++) {
        let isRefused = false
        const watch = (reply: Response) => {
          isRefused ||= scene.network === undefined && reply.status() >= 500
        }
        page.on('response', watch)
        const failure = await showOnce(page, url, scene, act).then(
          () => null,
          (error: Error) => error,
        )
        page.off('response', watch)
        if (failure === null && !isRefused) break
        if (tries === maxTries) throw failure ?? new Error(`The service does not reply in time: ${scene.name}`)
      }
      free.push(page)
    },

    async close(): Promise<void> {
      await close()
      for (const world of worlds.values()) await (await world).close()
    },
  }
}
