import { type Either, fields, optional, type ValuesOf } from '../../http/fields.ts'
import { refuse } from '../../http/refusal.ts'
import { administration } from '../api-route.ts'
import type { Directory, ListedUser } from '../directory.ts'
import type { Journal } from '../journal.ts'
import { exampleId } from '../schemas.ts'
import type { Who } from '../users.ts'
import { errors } from './errors.ts'

export type Named = Partial<ValuesOf<typeof identifiers>>

/** What reads need; they flush the journal first, to be current. */
export interface ReadDeps {
  readonly directory: Directory
  readonly journal: Pick<Journal, 'flush'>
}

/** What the routes that only read have in common. */
export const reading = {
  method: 'GET',
  ...administration,
  keyScope: 'admin:read',
} as const

/** The id wins if both are given. `either` guarantees at least one. */
export const whoOf = ({ userId, username = '' }: Named): Who => (userId === undefined ? { username } : { id: userId })

/** The same for a body that has not been validated; null if it names nobody. */
export function namedIn(read: (name: string) => unknown): Who | null {
  const [userId, username] = ['userId', 'username'].map((name) => textOf(read(name)))
  return userId === undefined && username === undefined ? null : whoOf({ userId, username })
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

export const identifiers = {
  userId: optional({ description: 'Wins if both are given', examples: [exampleId] }),
  username: optional({ description: 'Case-insensitive', examples: ['alice'] }),
}

export const either: Either = { names: ['userId', 'username'], absent: errors.identifierRequired }

/** What the routes that read one user have in common. */
export const readingUser = { ...reading, query: fields(identifiers, either), errors: [errors.userNotFound] } as const

export async function findUser(directory: Directory, named: Named): Promise<ListedUser> {
  return (await directory.find(whoOf(named))) ?? refuse(errors.userNotFound)
}
