import type { Users } from '../../src/accounts/users.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'

/** Accounts whose database can be made unavailable and available again. */
export function breakableUsers(): { users: (real: Users) => Users; away: boolean } {
  const state = { away: false, users: (real: Users) => brokenFrom(real, () => state.away) }
  return state
}

function brokenFrom(real: Users, isAway: () => boolean): Users {
  return new Proxy(real, {
    get(target, name, receiver) {
      const method = Reflect.get(target, name, receiver)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) => {
        if (isAway()) throw new Unavailable('database', new Error('taken away by a test'))
        return method.apply(target, args)
      }
    },
  })
}
