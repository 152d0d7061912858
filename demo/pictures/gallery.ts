import type { Page } from 'playwright-core'
import { openPictureBrowser } from './browser.ts'
import { openScene, preparePage, waitUntilStill } from './page.ts'
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

const guide = of('light', 1280)

export const viewsOf = ({ size }: Scene): readonly View[] => (size === 'page' ? all : size === 'guide' ? guide : some)

const usualHeight = 900
/** A longer page only repeats its rows. */
const maxHeight = 2_400

/** A scene in one view. */
export interface Shot {
  readonly name: string
  /** PNG. */
  take(): Promise<Buffer>
}

export type Gallery = Awaited<ReturnType<typeof openGallery>>

/** Makes the window as long as the page: what is below would not be loaded. */
async function fit(page: Page, scene: Scene, width: number): Promise<void> {
  const height = scene.height ?? usualHeight
  await page.setViewportSize({ width, height })
  if (scene.size === 'dialog' || scene.size === 'guide') return
  await waitUntilStill(page, scene)
  const whole = Number(await page.evaluate('document.documentElement.scrollHeight'))
  if (whole > height) await page.setViewportSize({ width, height: Math.min(whole, maxHeight) })
}

/** Of an open dialog only: what is behind it has pictures of its own. */
async function dialogOf(page: Page) {
  const dialog = page.getByRole('dialog')
  const clip = (await dialog.count()) > 0 ? await dialog.last().boundingBox() : null
  return clip && { clip }
}

/** Services and a browser that show scenes. */
export async function openGallery() {
  const { browser, version, close } = await openPictureBrowser()
  const worlds = new Map<WorldName, Promise<World>>()
  const pages = new Map<string, Promise<Page>>()

  const worldOf = (name: WorldName) => known(worlds, name, () => openWorld(name))
  const pageOf = (world: World, scene: Scene) => {
    const person = scene.as === undefined ? 'owner' : scene.as
    return known(pages, `${scene.world} ${person}`, () => preparePage(browser, world, person))
  }

  return {
    version,

    /** Opens the scene and calls `act` in each view. */
    async show(scene: Scene, act: (shot: Shot, page: Page) => Promise<unknown>): Promise<void> {
      const world = await worldOf(scene.world)
      const page = await pageOf(world, scene)
      await page.setViewportSize({ width: 1280, height: usualHeight })
      await page.emulateMedia({ colorScheme: 'light' })
      await openScene(page, world, scene)
      for (const { width, scheme } of viewsOf(scene)) {
        await page.emulateMedia({ colorScheme: scheme })
        await fit(page, scene, width)
        const take = async () => {
          await waitUntilStill(page, scene)
          return page.screenshot({ animations: 'disabled', caret: 'hide', scale: 'css', ...(await dialogOf(page)) })
        }
        await act({ name: `${scene.name}-${width}-${scheme}`, take }, page)
      }
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    },

    async close(): Promise<void> {
      await close()
      for (const world of worlds.values()) await (await world).close()
    },
  }
}
