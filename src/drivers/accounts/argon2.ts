import { hash, parseOptions, verify } from '@node-rs/argon2'
import type { PasswordHasher } from '../../accounts/passwords.ts'

/** OWASP's least for argon2id (2026). Raising them rehashes each password at its next login. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const saltBytes = 16
const tagBytes = 32
const unpadded = (length: number) => Buffer.alloc(length).toString('base64').replace(/=+$/, '')
const { memoryCost, timeCost, parallelism } = parameters
const dummy = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${unpadded(saltBytes)}$${unpadded(tagBytes)}`

export const argon2Hasher: PasswordHasher = {
  hash: (password) => hash(bytesOf(password), parameters),
  verify: (stored, password) => verify(stored, bytesOf(password)),
  isOutdated(stored) {
    const used = parseOptions(stored)
    return used.memoryCost < memoryCost || used.timeCost < timeCost || used.parallelism < parallelism
  },
  dummy,
}

/** A lone surrogate has no UTF-8; JSON writes it as an escape, so no two such passwords become one. */
const bytesOf = (password: string) => Buffer.from(password.isWellFormed() ? password : JSON.stringify(password))
