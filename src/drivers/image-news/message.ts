import type { ImageChange } from '../../images/image-news.ts'
import type { WalkStep } from '../../images/positions.ts'

/** Where the sender's images are: the id of its folder, or null for an object store. */
export interface Greeting {
  readonly folder: string | null
  readonly isReply: boolean
}

/** Or steps of walks. */
export type Message = ImageChange | Greeting | { readonly steps: readonly WalkStep[] }

const version = 1
/** PostgreSQL refuses 8,000 bytes; an object's name has at most 1,024. */
const maxLength = 7_999
/** Max steps per message: the name of a walk has at most 150 characters. */
export const maxSteps = 35

export const writeMessage = (from: string, message: Message) => JSON.stringify({ version, from, ...message })

/** Null for our own messages, messages of other versions, and anything else. */
export function readMessage(text: string, own: string): Message | null {
  if (text.length > maxLength) return null
  try {
    const { version: its, from, key, isGone, folder, isReply, steps } = JSON.parse(text)
    if (its !== version || typeof from !== 'string' || from === own) return null
    if (typeof isReply === 'boolean') return { folder: typeof folder === 'string' ? folder : null, isReply }
    if (Array.isArray(steps)) return { steps: steps.filter(isStep) }
    return typeof key === 'string' && typeof isGone === 'boolean' ? { key, isGone } : null
  } catch {
    return null
  }
}

function isStep(value: unknown): value is WalkStep {
  const { name, round, place } = (value ?? {}) as Partial<WalkStep>
  return typeof name === 'string' && Number.isSafeInteger(round) && Number.isSafeInteger(place)
}
