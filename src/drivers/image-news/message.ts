import type { ImageChange } from '../../images/image-news.ts'

const version = 1
/** PostgreSQL refuses 8,000 bytes; an object's name has at most 1,024. */
const maxLength = 7_999

export const writeMessage = (from: string, { key, isGone }: ImageChange) =>
  JSON.stringify({ version, from, key, isGone })

/** Null for our own messages, those of other versions, and what is no message. */
export function readMessage(text: string, own: string): ImageChange | null {
  if (text.length > maxLength) return null
  try {
    const { version: its, from, key, isGone } = JSON.parse(text)
    const isValid =
      its === version && typeof from === 'string' && typeof key === 'string' && typeof isGone === 'boolean'
    return isValid && from !== own ? { key, isGone } : null
  } catch {
    return null
  }
}
