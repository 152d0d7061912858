import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { differenceOf } from '../../demo/pictures/compare.ts'
import { type Gallery, openGallery, type Shot, viewsOf } from '../../demo/pictures/gallery.ts'
import { type Scene, scenes } from '../../demo/pictures/scenes.ts'
import { atOnce, fileOf, folder, storedVersion } from '../../demo/pictures/store.ts'
import { atEnd } from '../support/at-end.ts'
import { noBrowserUnlessFull } from '../support/chromium.ts'

const root = join(import.meta.dirname, '../..')
/** Not below the tests' own folder, which is removed at the end. */
const failures = join(root, 'node_modules/.cache/pictures')
const maxBytes = 10_000_000

describe('What the console shows', { skip: noBrowserUnlessFull, concurrency: atOnce }, () => {
  let gallery: Gallery

  before(async () => {
    rmSync(failures, { recursive: true, force: true })
    gallery = await openGallery()
    atEnd(() => gallery.close())
  })

  /** What differs, also after more time to draw. */
  async function differencesOf(scene: Scene, style?: string) {
    const found = new Map<string, string>()
    await gallery.show(scene, async (shot, page) => {
      if (style !== undefined) await page.addStyleTag({ content: style })
      const difference = await (style === undefined ? lastDifference(shot) : firstDifference(shot))
      if (difference) found.set(shot.name, difference)
      else found.delete(shot.name)
    })
    return [...found].map((each) => each.join(': '))
  }

  for (const scene of scenes)
    it(`looks as in the stored pictures: ${scene.name}`, async () => {
      const found = await differencesOf(scene)
      assert.equal(found.length, 0, [...found, ...adviceOf(gallery.version)].join('\n'))
    })

  it('is compared so that a slightly changed colour and a control that moved by a pixel are found', async () => {
    const changes = [
      ':root { --accent: light-dark(#0a6e58, #63dab3) !important }',
      '.button.is-main { position: relative; left: 1px }',
      '.button.is-main { position: relative; top: 1px }',
    ]
    const scene = scenes.find(({ name }) => name === 'create-user') as Scene
    for (const style of changes) {
      const found = await differencesOf(scene, style)
      assert.equal(found.length, viewsOf(scene).length, `${style}: ${found}`)
    }
  })

  it('is every page of the console, in four widths and both schemes', () => {
    const routes = readFileSync(join(root, 'console/src/routes.tsx'), 'utf8')
    const paths = [...routes.matchAll(/path: '(\/.+)'/g)].map(([, path = '']) => path.replace(/\$\w+/, '[^/]+'))
    assert.ok(paths.length > 10)
    const shown = scenes.filter(({ size }) => size === 'page')
    const reached = shown.map(({ name, path }) => (name === 'user' ? '/users/keen-quokka' : path))
    for (const path of paths)
      assert.ok(
        reached.some((each) => new RegExp(`^${path}$`).test(each)),
        path,
      )
    for (const scene of shown) assert.equal(new Set(viewsOf(scene).map(({ width }) => width)).size, 4)
  })

  it('is stored in at most 10 MB, and nothing else is', () => {
    const stored = readdirSync(folder).filter((name) => name.endsWith('.webp'))
    const wanted = scenes.flatMap((scene) =>
      viewsOf(scene).map(({ width, scheme }) => `${scene.name}-${width}-${scheme}.webp`),
    )
    assert.deepEqual(stored, wanted.sort())
    const bytes = stored.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    assert.ok(bytes <= maxBytes, String(bytes))
  })
})

const maxTries = 5

const firstDifference = async ({ name, take }: Shot) => (await differenceOf(fileOf(name), await take()))?.text

/** In words, with the path of two pictures; null once the page looks as stored. */
async function lastDifference({ name, take }: Shot): Promise<string | null> {
  const stored = fileOf(name)
  if (!existsSync(stored)) return `not stored: run node demo/run.ts --screenshots ${name.replace(/-\d.*/, '')}`
  for (let tries = 1; ; tries++) {
    const taken = await take()
    const difference = await differenceOf(stored, taken)
    if (difference === null) return null
    if (tries < maxTries) continue
    mkdirSync(failures, { recursive: true })
    writeFileSync(join(failures, `${name}.png`), taken)
    writeFileSync(join(failures, `${name}.difference.png`), await difference.picture())
    return `${difference.text}; see ${join(failures, name)}.png and .difference.png`
  }
}

const majorOf = (version: string) => version.split('.', 1)[0]

function adviceOf(version: string): string[] {
  const stored = storedVersion()
  if (majorOf(stored) !== majorOf(version))
    return [
      `Chromium ${stored} took the stored pictures, and ${version} may draw texts in another way: take all again.`,
    ]
  return ['If it should look so: node demo/run.ts --screenshots, with the name of the scene or all.']
}
