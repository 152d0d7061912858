import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { openGallery, type Shot } from './gallery.ts'
import { guides, type Scene, scenes } from './scenes.ts'

const root = join(import.meta.dirname, '../..')
export const folder = join(root, 'test/console/pictures')
const guideFolder = join(root, 'docs/screenshots')
const versionFile = join(folder, 'chromium.txt')

/** Scenes. One waits for the service or the disk while another is drawn. */
export const atOnce = 3

export const fileOf = (name: string) => join(folder, `${name}.webp`)

/** Of the Chromium that took them. */
export const storedVersion = () => readFileSync(versionFile, 'utf8').trim()

/** Takes the pictures of 'all' scenes, of those whose names start with `wanted`, or of the 'guides'. */
export async function storePictures(wanted: string, say: (text: string) => void): Promise<void> {
  const isGuide = wanted === 'guides'
  const chosen = isGuide ? guides : scenes.filter(({ name }) => wanted === 'all' || name.startsWith(wanted))
  if (chosen.length === 0) throw new Error(`No scene has a name that starts with ${wanted}`)
  if (wanted === 'all') rmSync(folder, { recursive: true, force: true })
  const gallery = await openGallery()
  let total = 0
  const store = async (scene: Scene, shot: Shot) => {
    const path = isGuide ? join(guideFolder, `${scene.name}.webp`) : fileOf(shot.name)
    const picture = sharp(await shot.take())
    // The quality bounds how far a pixel may be off: by 2 of 255, and by 4 in the guides.
    const bytes = await picture.webp({ nearLossless: true, quality: isGuide ? 40 : 60, effort: 6 }).toBuffer()
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, bytes)
    total += bytes.length
  }
  try {
    const waiting = chosen.values()
    const run = async () => {
      for (const scene of waiting) {
        await gallery.show(scene, (shot) => store(scene, shot))
        say(scene.name)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, run))
    if (wanted === 'all') writeFileSync(versionFile, `${gallery.version}\n`)
  } finally {
    await gallery.close()
  }
  say(`${Math.ceil(total / 1000)} kB`)
}
