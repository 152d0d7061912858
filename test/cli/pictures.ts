import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { chunk, pngSignature } from '../images/metadata-files.ts'
import { ScriptedS3 } from '../support/scripted-s3.ts'
import { testFolder } from '../support/test-folder.ts'

/** Enough of each for its first bytes to identify it. */
const begins = {
  png: '89504e470d0a1a0a',
  jpeg: 'ffd8ffe0',
  gif: '474946383961',
  webp: '524946460000000057454250',
  avif: '0000001c667479706176696600000000',
  bmp: '424d000000000000000000000000280000000000',
}

export const picture = (type: keyof typeof begins, words = 'some words') =>
  Buffer.concat([Buffer.from(begins[type], 'hex'), Buffer.from(words)])

/** With the structure of a PNG from beginning to end. */
export const wholePng = (words: string) => Buffer.concat([pngSignature, chunk('IDAT', words), chunk('IEND')])

export const md5Of = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')

/** A folder of pictures, and the settings of an empty store; both are removed after the test. */
export function folders() {
  const folder = testFolder()
  const root = join(folder, 'pictures')
  mkdirSync(root)
  const dataDir = join(folder, 'data')
  return {
    root,
    path: folder,
    env: { DATA_DIR: dataDir },
    objects: join(dataDir, 'objects', 'images'),
    put(file: string, bytes: Buffer | string) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), bytes)
    },
  }
}

/** The same with a scripted store. */
export async function scripted() {
  const here = folders()
  const s3 = await ScriptedS3.open('images')
  const env = {
    ...here.env,
    S3_ENDPOINT: s3.endpoint,
    S3_ACCESS_KEY_ID: 'key',
    S3_SECRET_ACCESS_KEY: 'secret-words-nobody-sees',
  }
  const names = () => [...(s3.objects.get('images')?.keys() ?? [])].sort()
  return { ...here, env, s3, names }
}

/** Every file below, by its relative path, with its bytes. */
export const filesBelow = (path: string): Record<string, Buffer> =>
  Object.fromEntries(
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((file) => [file.slice(path.length + 1).replaceAll('\\', '/'), readFileSync(file)]),
  )

export const importing = (root: string, ...more: string[]) => ['images', 'import', root, '--kind', 'fox', ...more]

export { until } from '../support/until.ts'
