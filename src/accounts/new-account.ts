import type { Role } from './roles.ts'
import type { Account } from './users.ts'

export interface AccountSeed {
  readonly id: string
  readonly username: string
  readonly role: Role
  readonly passwordHash: string
  /** Of the token that it starts with; null: it has to sign in. */
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
