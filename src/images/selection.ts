import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import { withTimeout } from '../lib/timeout.ts'
import { Unavailable } from '../lib/unavailable.ts'
import type { Catalogue } from './catalogue.ts'
import type { Filter } from './filter.ts'
import type { Kind } from './kinds.ts'

/** What to choose from. */
export interface Selection {
  readonly of: readonly Kind[]
  readonly filter: Filter | null
}

const maxReadMs = 5_000
const maxRounds = 10

export const inTime = <T>(hashes: Promise<T>) =>
  withTimeout(hashes, maxReadMs, () => Promise.reject(new Unavailable('the names of images')))

const waitsOf = (catalogue: Pick<Catalogue, 'hashes'>, { of, filter }: Selection) =>
  filter === null ? [] : of.map((kind) => catalogue.hashes(kind, filter)).filter(isPromise)

/** Whether the kinds can be chosen from; without a filter, always. */
export const isCompiled = (catalogue: Pick<Catalogue, 'hashes'>, selection: Selection): boolean =>
  waitsOf(catalogue, selection).length === 0

/** Waits until the kinds can be chosen from. Other filters, or changes, may take away a list that has been compiled. */
export function whenCompiled<T>(
  catalogue: Pick<Catalogue, 'hashes'>,
  selection: Selection,
  act: () => MaybePromise<T>,
  rounds = maxRounds,
): MaybePromise<T> {
  if (selection.filter === null) return act()
  const waits = waitsOf(catalogue, selection)
  if (waits.length === 0) return act()
  if (rounds === 0) throw new Unavailable('the lists of what matches')
  return Promise.all(waits.map(inTime)).then(() => whenCompiled(catalogue, selection, act, rounds - 1))
}
