import type { Directory } from '../accounts/directory.ts'
import type { JournalStore } from '../accounts/journal.ts'
import type { Users } from '../accounts/users.ts'
import { isPromise } from '../lib/maybe-promise.ts'
import type { Operations } from '../lib/operations.ts'

/* Instruments the ports of the database: each method is an operation of its name. */

export function observeUsers(real: Users, of: Operations): Users {
  const principal = of('users.findPrincipal')
  return {
    // On the hot path: not timed if SQLite returns synchronously.
    findPrincipal(id) {
      const found = principal.attempt(() => real.findPrincipal(id))
      return isPromise(found) ? principal.run(() => found) : found
    },
    find: (who) => of('users.find').run(() => real.find(who)),
    insert: (account, act) => of('users.insert').run(() => real.insert(account, act)),
    change: (act, judge) => of('users.change').run(() => real.change(act, judge)),
    ownerExists: () => of('users.ownerExists').run(() => real.ownerExists()),
    isEmpty: () => of('users.isEmpty').run(() => real.isEmpty()),
  }
}

export const observeDirectory = (real: Directory, of: Operations): Directory => ({
  find: (who) => of('directory.find').run(() => real.find(who)),
  page: (page) => of('directory.page').run(() => real.page(page)),
  chunk: (afterId, limit) => of('directory.chunk').run(() => real.chunk(afterId, limit)),
  summary: () => of('directory.summary').run(() => real.summary()),
  usage: (query) => of('directory.usage').run(() => real.usage(query)),
  formerly: (username) => of('directory.formerly').run(() => real.formerly(username)),
  events: (page) => of('directory.events').run(() => real.events(page)),
})

export const observeJournalStore = (real: JournalStore, of: Operations): JournalStore => ({
  write: (batch) => of('journal.write').run(() => real.write(batch)),
  forget: (before, signal) => of('journal.forget').run(() => real.forget(before, signal), signal),
})
