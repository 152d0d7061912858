import { argon2Hasher, createArgon2Hasher } from '../../src/drivers/accounts/argon2.ts'
import { isFullSize } from './size.ts'

/** argon2id at minimum cost: at the shipped cost, hashing would be a third of the time of `npm test`. */
export const testHasher = isFullSize
  ? argon2Hasher
  : createArgon2Hasher({ memoryCost: 16, timeCost: 1, parallelism: 1 })
