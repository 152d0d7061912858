import { hash, parseOptions, verify } from '@node-rs/argon2'
import type { PasswordHasher } from '../../accounts/passwords.ts'

const saltBytes = 16
const tagBytes = 32
const unpadded = (length: number) => Buffer.alloc(length).toString('base64').replace(/=+$/, '')

interface Parameters {
  readonly memoryCost: number
  readonly timeCost: number
  readonly parallelism: number
}

export function createArgon2Hasher(parameters: Parameters): PasswordHasher {
  const { memoryCost, timeCost, parallelism } = parameters
  return {
    hash: (password) => hash(bytesOf(password), parameters),
    verify: (stored, password) => verify(stored, bytesOf(password)),
    isOutdated(stored) {
      const used = parseOptions(stored)
      return used.memoryCost < memoryCost || used.timeCost < timeCost || used.parallelism < parallelism
    },
    dummy: `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${unpadded(saltBytes)}$${unpadded(tagBytes)}`,
  }
}

/** OWASP's minimum for argon2id (2026). Raising them rehashes each password at its next login. */
export const argon2Hasher = createArgon2Hasher({ memoryCost: 19_456, timeCost: 2, parallelism: 1 })

/** A lone surrogate has no UTF-8 form; JSON escapes it, so that such passwords stay different. */
function bytesOf(password: string): Buffer {
  return Buffer.from(password.isWellFormed() ? password : JSON.stringify(password))
}
