import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { kinds } from '../src/images/kinds.ts'
import { drawSamples } from './samples/draw.ts'
import { isSamePicture } from './samples/png.ts'

/* Draws the sample images; with --check, names those that are out of date. */

const folder = new URL('../samples/', import.meta.url)
const urlOf = (path: string) => new URL(path, folder)
const samples = drawSamples(kinds)

const isCurrent = (path: string, bytes: Buffer) =>
  existsSync(urlOf(path)) && isSamePicture(readFileSync(urlOf(path)), bytes)
const outdated = samples.filter(({ path, bytes }) => !isCurrent(path, bytes))

const drawn = new Set(samples.map(({ path }) => path))
const present = existsSync(folder) ? globSync('*/*.png', { cwd: folder }) : []
const leftOver = present.map((path) => path.replaceAll('\\', '/')).filter((path) => !drawn.has(path))

if (process.argv.includes('--check')) {
  for (const { path } of outdated) console.error(`samples/${path} is out of date: run node scripts/draw-samples.ts`)
  for (const path of leftOver) console.error(`samples/${path} is drawn no longer: run node scripts/draw-samples.ts`)
  process.exitCode = outdated.length + leftOver.length > 0 ? 1 : 0
} else {
  for (const { path, bytes } of outdated) {
    mkdirSync(new URL('.', urlOf(path)), { recursive: true })
    writeFileSync(urlOf(path), bytes)
    console.log(`wrote samples/${path}`)
  }
  for (const path of leftOver) {
    rmSync(urlOf(path))
    console.log(`removed samples/${path}`)
  }
}
