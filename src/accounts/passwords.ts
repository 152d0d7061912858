import { ClientGone } from '../http/json-body.ts'
import { Refused, refuse } from '../http/refusal.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { errors } from './errors.ts'

/** The technology behind passwords. */
export interface PasswordHasher {
  hash(password: string): Promise<string>
  verify(hash: string, password: string): Promise<boolean>
  /** True when the hash was made with weaker parameters than today's. */
  isOutdated(hash: string): boolean
  /** A hash of today's parameters that no password fits. */
  readonly dummy: string
}

export interface Passwords {
  /** Refuses a password that may not be set. */
  checkRule(password: string): void
  hash(password: string, signal?: AbortSignal): Promise<string>
  /** Takes the same time with null, for an account that is not there: then it is false. */
  verify(hash: string | null, password: string, signal?: AbortSignal): Promise<boolean>
  isOutdated(hash: string): boolean
  /** Hashes at the moment. */
  readonly load: { readonly running: number; readonly waiting: number }
}

export interface PasswordOptions {
  readonly hasher: PasswordHasher
  readonly minLength: number
  /** Hashes that run at a time. */
  readonly slots: number
  /** Hashes that wait for a slot. */
  readonly queue: number
}

export const hashPlaces = { slots: 2, queue: 64 } as const
export const mostPasswordBytes = 1024

const fits = (password: string) => Buffer.byteLength(password) <= mostPasswordBytes

/** The rule for a password that is set: characters are code points. */
export const isAllowedPassword = (password: string, minLength: number) =>
  [...password].length >= minLength && fits(password)

/** Hashing takes a core and 19 MiB each, so few run at once, some wait, and the rest are told to come back. */
export function createPasswords({ hasher, minLength, slots, queue }: PasswordOptions): Passwords {
  const semaphore = createSemaphore({
    max: slots,
    maxWaiting: queue,
    onFull: () => new Refused(errors.tooManyLogins),
    onAbort: () => new ClientGone(),
  })

  return {
    checkRule(password) {
      if (!isAllowedPassword(password, minLength)) refuse(errors.badPassword)
    },
    hash: (password, signal) => semaphore.run(() => hasher.hash(password), { signal }),
    async verify(hash, password, signal) {
      if (!fits(password)) return false
      const same = await semaphore.run(() => hasher.verify(hash ?? hasher.dummy, password), { signal })
      return same && hash !== null
    },
    isOutdated: hasher.isOutdated,
    get load() {
      const { running, waiting } = semaphore
      return { running, waiting }
    },
  }
}
