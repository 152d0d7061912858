import { readFileSync, statSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import { BadSetting } from '../../config/parser.ts'

export interface Logo {
  readonly type: 'image/png' | 'image/webp' | 'image/svg+xml'
  readonly bytes: Buffer
}

/** What an operator makes the page theirs with; null: unset. */
export interface PageSettings {
  readonly title: string | null
  readonly description: string | null
  readonly link: string | null
  readonly color: string | null
  readonly logo: Logo | null
}

type Settings = `STATUS_PAGE_${'TITLE' | 'DESCRIPTION' | 'LINK' | 'COLOR' | 'LOGO'}`

/** Throws a BadSetting if the logo cannot be used. */
export const pageSettingsOf = (config: Pick<Config, Settings>): PageSettings => ({
  title: config.STATUS_PAGE_TITLE,
  description: config.STATUS_PAGE_DESCRIPTION,
  link: config.STATUS_PAGE_LINK,
  color: config.STATUS_PAGE_COLOR,
  logo: config.STATUS_PAGE_LOGO === null ? null : readLogo(config.STATUS_PAGE_LOGO),
})

const maxBytes = 262_144
const pngStart = Buffer.from('89504e470d0a1a0a', 'hex')

/** By its first bytes: what is served as an image must be one. */
function typeOf(bytes: Buffer): Logo['type'] | undefined {
  if (bytes.subarray(0, 8).equals(pngStart)) return 'image/png'
  return bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
    ? 'image/webp'
    : undefined
}

function readLogo(path: string): Logo {
  const problem = (got: string) =>
    new BadSetting(
      `STATUS_PAGE_LOGO: expected a PNG or WebP file of at most ${maxBytes / 1024} KiB, got ${got}: ${JSON.stringify(path)}`,
    )
  try {
    const found = statSync(path)
    if (!found.isFile()) throw problem('no file')
    if (found.size > maxBytes) throw problem(`${found.size} bytes`)
    const bytes = readFileSync(path)
    const type = typeOf(bytes)
    if (type === undefined) throw problem('a file of another format')
    return { type, bytes }
  } catch (error) {
    throw error instanceof BadSetting ? error : problem(`${(error as NodeJS.ErrnoException).code}`)
  }
}
