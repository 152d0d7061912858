import type { Role } from './roles.ts'
import type { Account } from './users.ts'

export interface AccountSeed {
  readonly id: string
  readonly username: string
  readonly role: Role
  readonly passwordHash: string
  /** Null: signed out. */
  readonly tokenHash: string | null
  readonly now: number
}

export const newAccount = ({ now, ...seed }: AccountSeed): Account => ({
  ...seed,
  banned: false,
  ban: null,
  createdAt: now,
  updatedAt: now,
})
