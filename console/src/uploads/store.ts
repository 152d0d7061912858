import { useSyncExternalStore } from 'react'
import { MenagerieError } from '../../../client/src/client.ts'
import { createListeners } from '../parts/listeners.ts'
import type { State, Upload } from './upload.ts'

export interface Pause {
  readonly text: string
  /** By the service's clock; null if that depends on the service. */
  readonly until: number | null
}

export interface Uploads {
  readonly list: readonly Upload[]
  /** Why nothing is sent at the moment although files are waiting. */
  readonly pause: Pause | null
  /** The number of files stored since the page was loaded. */
  readonly stored: number
}

/* The state of the queue, outside of the pages, so that it continues during navigation. */

let uploads: Uploads = { list: [], pause: null, stored: 0 }
const { tell, subscribe } = createListeners()

export const current = (): Uploads => uploads

export function set(changes: Partial<Uploads>): void {
  uploads = { ...uploads, ...changes }
  tell()
}

export const change = (ids: number | ReadonlySet<number>, changes: Partial<Upload>) =>
  set({
    list: uploads.list.map((each) =>
      (typeof ids === 'number' ? each.id === ids : ids.has(each.id)) ? { ...each, ...changes } : each,
    ),
  })

const busy: readonly State[] = ['waiting', 'checking', 'sending']
export const isUnderWay = ({ state }: Upload) => busy.includes(state)
/** Unless the file itself was refused, which would be so again. */
export const mayRetry = ({ state, error }: Upload) =>
  state === 'cancelled' || (state === 'failed' && error instanceof MenagerieError && !refusals.includes(error.status))

/** Nothing more will become of it. */
export const isFinished = (upload: Upload) =>
  upload.state === 'done' || upload.state === 'cancelled' || (upload.state === 'failed' && !mayRetry(upload))

const refusals: readonly number[] = [400, 413, 415]
export const isIn = (state: State) => (upload: Upload) => upload.state === state

const ranks: readonly State[] = ['asking', 'failed', 'sending', 'checking', 'waiting', 'done', 'cancelled']

/** First what needs the user, then what is in progress. */
export const byUrgency = (list: readonly Upload[]): readonly Upload[] =>
  list.toSorted((one, other) => ranks.indexOf(one.state) - ranks.indexOf(other.state))

export const useUploads = (): Uploads => useSyncExternalStore(subscribe, current)

/** The share of bytes sent, from 0 to 1. */
export function progressOf(list: readonly Upload[]): number {
  const counted = list.filter(({ state }) => state !== 'cancelled' && state !== 'failed')
  const total = counted.reduce((sum, { file }) => sum + file.size, 0)
  const sent = counted.reduce((sum, each) => sum + (each.state === 'done' ? each.file.size : each.sent), 0)
  return total === 0 ? 0 : Math.min(1, sent / total)
}

addEventListener('beforeunload', (event) => {
  // The browser forgets the files.
  if (!uploads.list.every(isFinished)) event.preventDefault()
})
