import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'

/* The work of a resize and nothing else: all images of FOLDER at the width that the parent process asks for. */

sharp.concurrency(1)
sharp.cache(false)
const { FOLDER: folder = '' } = process.env

process.on('message', async (width: number) => {
  for (const name of readdirSync(folder)) {
    const image = sharp(readFileSync(join(folder, name))).autoOrient()
    await image.resize({ width, withoutEnlargement: true }).jpeg({ quality: 80 }).toBuffer()
  }
  process.send?.('done')
})
process.send?.('ready')
