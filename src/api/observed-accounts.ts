import type { Directory } from '../accounts/directory.ts'
import type { JournalStore } from '../accounts/journal.ts'
import type { Users } from '../accounts/users.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Operations } from '../lib/operations.ts'

/* Instruments the ports of the database: each method is an operation of its name. */

function observed<Port extends object>(real: Port, of: Operations, prefix: string): Port {
  const methods = Object.entries(real).map(([name, method]) => {
    return [name, (...args: unknown[]) => of(`${prefix}.${name}`).run(() => method(...args))]
  })
  return Object.fromEntries(methods)
}

export function observeUsers(real: Users, of: Operations): Users {
  /** On the hot path: not timed if SQLite returns synchronously. */
  const lookup = <Found>(name: string, find: (key: string) => MaybePromise<Found>) => {
    const operation = of(`users.${name}`)
    return (key: string) => {
      const found = operation.attempt(() => find(key))
      return isPromise(found) ? operation.run(() => found) : found
    }
  }
  return {
    ...observed(real, of, 'users'),
    findPrincipal: lookup('findPrincipal', real.findPrincipal),
    findKey: lookup('findKey', real.findKey),
  }
}

export const observeDirectory = (real: Directory, of: Operations): Directory => observed(real, of, 'directory')

export const observeJournalStore = (real: JournalStore, of: Operations): JournalStore => ({
  ...observed(real, of, 'journal'),
  forget: (before, signal) => of('journal.forget').run(() => real.forget(before, signal), signal),
})
