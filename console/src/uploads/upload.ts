import type { Schemas } from '../../../client/src/client.ts'

export type State = 'waiting' | 'checking' | 'asking' | 'sending' | 'done' | 'failed' | 'cancelled'

/** What to ask before an upload. */
export interface Question {
  /** The service does not serve the current name; it would serve this one. */
  readonly betterName?: string
  /** An object of this name is stored: its ETag, or null if it is hidden. */
  readonly stored?: { readonly etag: string | null }
  /** It does not begin as an image of a known type. */
  readonly isNoImage?: true
  /** It ends before its own structure does. */
  readonly isCutOff?: true
  /** Other images with the same bytes. */
  readonly copies: readonly string[]
  /** Another file of the queue with the same bytes, which may never be stored. */
  readonly twin?: string
}

export interface Condition {
  readonly ifAbsent?: true
  readonly ifMatch?: string
}

export interface Upload {
  readonly id: number
  readonly file: File
  /** The object's name: kind and file name. */
  readonly name: string
  readonly state: State
  readonly sent: number
  readonly question: Question | null
  readonly error: unknown
  /** What the user has agreed to. */
  readonly agreed: Condition | null
  /** How often the connection broke although the service was available. */
  readonly breaks: number
  /** The service may have stored it even though its reply was lost. */
  readonly mayBeStored: boolean
  readonly duplicateOf: string | null
  /** Why it will never be chosen at random, or that it ends early. */
  readonly warning: string | null
}

export type Rules = Pick<Schemas['Service'], 'bucket' | 'uploads'>

export const fileNameOf = (name: string) => name.slice(name.indexOf('/') + 1)
