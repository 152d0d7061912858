import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openCatalogue } from '../src/drivers/catalogue/catalogue.ts'
import { builtInKinds as kinds } from '../src/images/kinds.ts'
import { cpuMsOf } from './proc.ts'
import { startApi } from './server.ts'

/* node bench/images-relist.ts [--images 1000000] [--minutes 8]: the CPU time of listing a folder that stays the same. */

const { values: flags } = parseArgs({
  options: { images: { type: 'string', default: '1000000' }, minutes: { type: 'string', default: '8' } },
})
const images = Number(flags.images)
const folder = mkdtempSync(join(tmpdir(), 'menagerie-relist-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const tree = join(folder, 'objects', 'images', 'fox')
mkdirSync(tree, { recursive: true, mode: 0o700 })
for (let index = 0; index < images; index += 1) {
  const file = openSync(join(tree, `${index}.png`), 'w', 0o600)
  writeSync(file, `PNG ${index}`)
  closeSync(file)
}
// As a first listing leaves it, but for the ETags, which a later one does not read.
const catalogue = openCatalogue({
  dataDir: folder,
  source: 'folder of MD5s images',
  kinds,
  imagesOnly: false,
  mayReplace: true,
  random: Math.random,
})
for (const kind of kinds) {
  const listing = catalogue.listing(kind)
  listing.expect()
  const names = kind === 'fox' ? readdirSync(tree) : []
  for (let from = 0; from < names.length; from += 10_000) {
    const page = names.slice(from, from + 10_000).map(async (filename) => {
      const { size, mtimeMs } = await lstat(join(tree, filename))
      return { filename, etag: '0'.repeat(32), size, modified: Math.floor(mtimeMs) }
    })
    const entries = await Promise.all(page)
    listing.take(entries)
    // Their headers have been read, so that only the listings are measured.
    catalogue.describe(
      kind,
      entries.map(({ filename, etag }) => ({ filename, etag, shape: null, fault: null })),
    )
  }
  while (listing.end() !== null);
}
catalogue.close()

const server = await startApi(folder, { DATA_DIR: folder, SAMPLE_IMAGES: 'false' })
try {
  let before = cpuMsOf(server.pid)
  for (let minute = 1; minute <= Number(flags.minutes); minute += 1) {
    await sleep(60_000)
    const now = cpuMsOf(server.pid)
    console.log(`minute ${minute}: ${((now - before) / 600).toFixed(1)} % of a core`)
    before = now
  }
} finally {
  await server.stop()
}
