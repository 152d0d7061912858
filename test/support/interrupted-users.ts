import type { Action } from '../../src/accounts/audit.ts'
import type { Users } from '../../src/accounts/users.ts'

/** Accounts for any number of services, where `between` runs after the guard and before each change or insert. */
export function interruptedUsers() {
  const interrupted = {
    between: null as ((action: Action, id: string) => Promise<unknown>) | null,
    users: (real: Users): Users => ({
      ...real,
      async change(act, changeOf) {
        await interrupted.between?.(act.action, 'id' in act.target ? act.target.id : '')
        return real.change(act, changeOf)
      },
      async insert(account, act, check) {
        await interrupted.between?.(act.action, account.id)
        return real.insert(account, act, check)
      },
    }),
  }
  return interrupted
}

/** Makes callers wait until `count` of them have arrived. */
export function barrier(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let arrived = 0
  return () => {
    if (++arrived === count) resolve()
    return promise
  }
}
