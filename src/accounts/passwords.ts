import { randomBytes } from 'node:crypto'
import { ClientGone } from '../http/json-body.ts'
import { Refused, refuse } from '../http/refusal.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { errors } from './errors.ts'

export interface PasswordHasher {
  hash(password: string): Promise<string>
  verify(hash: string, password: string): Promise<boolean>
  /** Whether the hash was made with weaker parameters than the current ones. */
  isOutdated(hash: string): boolean
  /** A hash with the current parameters that no password matches. */
  readonly dummy: string
}

interface PasswordOptions {
  readonly hasher: PasswordHasher
  readonly minLength: number
  /** Max concurrent hashes. */
  readonly slots: number
  /** Max hashes waiting for a slot. */
  readonly queue: number
}

export const hashLimits = { slots: 2, queue: 64 } as const
export const maxPasswordBytes = 1024

const fits = (password: string) => Buffer.byteLength(password) <= maxPasswordBytes

/** The rule for new passwords; characters are code points. */
export const isAllowedPassword = (password: string, minLength: number) =>
  [...password].length >= minLength && fits(password)

/** 32 characters, no two of which look alike: five bits each. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
const madeLength = 24
/** For passwords and codes that people may have to type. */
export const randomText = (length: number) => Array.from(randomBytes(length), (byte) => alphabet[byte % 32]).join('')

/** Each hash takes a core and 19 MiB, so a semaphore bounds them; beyond its queue, requests get 503. */
export function createPasswords({ hasher, minLength, slots, queue }: PasswordOptions) {
  const semaphore = createSemaphore({
    max: slots,
    maxWaiting: queue,
    onFull: () => new Refused(errors.tooManyLogins),
    onAbort: () => new ClientGone(),
  })

  return {
    /** Refuses a new password that is too short or too long. */
    checkRule(password: string): void {
      if (!isAllowedPassword(password, minLength)) refuse(errors.badPassword)
    },
    /** A random new password. */
    make: () => randomText(Math.max(madeLength, minLength)),
    hash: (password: string, signal?: AbortSignal) => semaphore.run(() => hasher.hash(password), { signal }),
    /** For null (an unknown account), false after the same time. */
    async verify(hash: string | null, password: string, signal?: AbortSignal): Promise<boolean> {
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

export type Passwords = ReturnType<typeof createPasswords>
