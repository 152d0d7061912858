import type { EmbedLinks } from '../accounts/embed-links.ts'
import type { JournalStore } from '../accounts/journal.ts'
import type { Users } from '../accounts/users.ts'
import type { SavedPeriodImages, SavedPositions } from '../images/positions.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Operations } from '../lib/operations.ts'

/* Instruments the ports of the database: each method is an operation of the same name. */

export function port<Port extends object>(real: Port, of: Operations, prefix: string): Port {
  const methods = Object.entries(real).map(([name, method]) => {
    return [name, (...args: unknown[]) => of(`${prefix}.${name}`).run(() => method(...args))]
  })
  return Object.fromEntries(methods)
}

/** On the hot path: not timed if SQLite returns synchronously. */
function hot<Args extends unknown[], T>(read: (...args: Args) => MaybePromise<T>, operation: ReturnType<Operations>) {
  return (...args: Args): MaybePromise<T> => {
    const found = operation.attempt(() => read(...args))
    return isPromise(found) ? operation.run(() => found) : found
  }
}

export const users = (real: Users, of: Operations): Users => ({
  ...port(real, of, 'users'),
  findPrincipal: hot(real.findPrincipal, of('users.findPrincipal')),
  findKey: hot(real.findKey, of('users.findKey')),
  findSession: hot(real.findSession, of('users.findSession')),
})

export const embedLinks = (real: EmbedLinks, of: Operations): EmbedLinks => ({
  ...port(real, of, 'embedLinks'),
  find: hot(real.find, of('embedLinks.find')),
})

export const walks = (real: SavedPositions, of: Operations): SavedPositions => ({
  find: hot(real.find, of('walks.find')),
})

export const periodImages = (real: SavedPeriodImages, of: Operations): SavedPeriodImages => ({
  ...port(real, of, 'periodImages'),
  find: hot(real.find, of('periodImages.find')),
})

export const journalStore = (real: JournalStore, of: Operations): JournalStore => ({
  ...port(real, of, 'journal'),
  forget: (before, signal) => of('journal.forget').run(() => real.forget(before, signal), signal),
})
