/* Secrets that clients put into paths by mistake, and that the log must not show. */

/** The token of a link follows. */
export const embedPath = '/e/'

/** In any spelling, even with other segments around it, such as a prefix that a proxy failed to strip. */
const afterEmbedPath = /(?:\/|%2f)(?:e|%65)(?:\/|%2f).+/i

/** The token of a link in an alert follows (status/links.ts). */
const afterLinkPath = /(?:\/|%2f)acknowledge(?:\/|%2f).+/i

/** A complete token (embed-tokens.ts): 33 bytes in base64url, of which the first is 1. */
const token = /(?<![\w-])A[Q-Za-f][\w-]{42}(?![\w-])/g

/** Even a part of an API key (key-secret.ts). */
const key = /mng_[0-9A-Za-z]+/g

const masked = (text: string): string =>
  text
    .replace(afterEmbedPath, `${embedPath}:token`)
    .replace(afterLinkPath, '/acknowledge/:token')
    .replace(key, 'mng_***')
    .replace(token, ':token')

/** Every path is checked, so most are recognised as harmless by one cheap test. */
const suspicious = /%|mng_|\/e\//i
const tokenLength = 44

/** Masks the tokens of embed links and API keys, also percent-encoded ones. */
export function withoutSecrets(path: string): string {
  if (path.length < tokenLength && !suspicious.test(path)) return path
  const decoded = decode(path)
  const shown = masked(decoded)
  return shown === decoded ? masked(path) : shown
}

function decode(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
