import { readFileSync, statSync } from 'node:fs'
import { BadSetting } from '../config/parser.ts'
import type { Call } from '../http/call.ts'
import { matchesIfNoneMatch } from '../http/conditional-requests.ts'
import { tagOf } from '../http/content-coding.ts'
import { apiHeaders, type Headers } from '../http/headers.ts'
import { TextResponse } from '../http/responses.ts'
import { once } from '../lib/once.ts'

export interface Logo {
  readonly type: 'image/png' | 'image/webp' | 'image/svg+xml'
  readonly bytes: Buffer
}

export const logoTypes = { status: 200, type: 'image/svg+xml', also: ['image/png', 'image/webp'] } as const

export const imageHeaders: Headers = { ...apiHeaders, 'Cache-Control': 'no-cache' }

const maxBytes = 262_144
const pngStart = Buffer.from('89504e470d0a1a0a', 'hex')

/** By its first bytes: what is served as an image must be one. */
function typeOf(bytes: Buffer): Logo['type'] | undefined {
  if (bytes.subarray(0, 8).equals(pngStart)) return 'image/png'
  return bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
    ? 'image/webp'
    : undefined
}

/** The file that this setting names. Throws a BadSetting if it cannot be used. */
export function readLogo(setting: string, path: string | null): Logo | null {
  if (path === null) return null
  const problem = (got: string) =>
    new BadSetting(
      `${setting}: expected a PNG or WebP file of at most ${maxBytes / 1024} KiB, got ${got}: ${JSON.stringify(path)}`,
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

async function ownLogo(): Promise<Logo> {
  const { icon } = await import('../reference/mark.ts')
  return { type: 'image/svg+xml', bytes: Buffer.from(icon.text) }
}

/** Serves the logo, or without one the icon of the service. */
export function createLogo(logo: Logo | null): (call: Call) => Promise<TextResponse> {
  const served = once(async () => {
    const { type, bytes } = logo ?? (await ownLogo())
    const tag = tagOf(bytes)
    return { type, bytes, tag, headers: { ...imageHeaders, ETag: `"${tag}"` } }
  })
  return async (call) => {
    const { type, bytes, tag, headers } = await served()
    return matchesIfNoneMatch(call.req.headers, tag)
      ? new TextResponse(304, type, '', headers)
      : new TextResponse(200, type, bytes, headers)
  }
}
