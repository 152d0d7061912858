import type { ImageChange } from '../../images/image-news.ts'

/** A change, or a question for those of the last milliseconds. */
export type Message = ImageChange | { readonly missedMs: number }

const version = 1
/** PostgreSQL refuses 8,000 bytes; an object's name has at most 1,024. */
const maxLength = 7_999

export const writeMessage = (from: string, message: Message) => JSON.stringify({ version, from, ...message })

/** Null for our own messages, those of other versions, and what is no message. */
export function readMessage(text: string, own: string): Message | null {
  if (text.length > maxLength) return null
  try {
    const { version: its, from, key, isGone, missedMs } = JSON.parse(text)
    if (its !== version || typeof from !== 'string' || from === own) return null
    if (typeof missedMs === 'number') return { missedMs }
    return typeof key === 'string' && typeof isGone === 'boolean' ? { key, isGone } : null
  } catch {
    return null
  }
}
