import { createArgon2Hasher } from '../../src/drivers/accounts/argon2.ts'

/**
 * argon2id at minimum cost: at the shipped cost, hashing would be a third of what the tests take. Those that start the
 * real binary hash at the shipped one.
 */
export const testHasher = createArgon2Hasher({ memoryCost: 16, timeCost: 1, parallelism: 1 })
