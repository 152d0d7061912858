import { type Role, roles } from '../../src/accounts/roles.ts'
import { newAccount } from '../../src/accounts/users.ts'
import { createIds } from '../../src/lib/ids.ts'
import type { Person, Reply } from './service.ts'
import type { Stage } from './with-service.ts'

export type Cast = Readonly<Record<Role, Person>>

export interface Stranger {
  readonly id: string
  readonly username: string
}

/** One person per role, signed in and named after it. */
export async function cast({ service, accounts }: Stage, suffix = ''): Promise<Cast> {
  const people = await Promise.all(
    roles.map(async (role) => {
      const person = await service.register(`${role}${suffix}`)
      await accounts.setRole(person.id, role)
      return [role, person] as const
    }),
  )
  return Object.fromEntries(people) as Cast
}

const newId = createIds({ now: () => Date.now(), monotonic: () => performance.now() })
let made = 0

/** A user who never signed in, which costs no hash. */
export async function stranger(
  { accounts }: Stage,
  {
    username = `stranger${++made}`,
    role = 'user',
    now = Date.now(),
  }: { username?: string; role?: Role; now?: number } = {},
): Promise<Stranger> {
  const account = newAccount({ id: newId(), username, role, passwordHash: 'none', tokenHash: null, now })
  const by = { actor: 'cli', address: null, requestId: null }
  if (!(await accounts.users.insert(account, { action: 'create', by }))) throw new Error(`${username} is taken`)
  return { id: account.id, username }
}

/** Status and body, to be compared as one value. */
export const answerOf = ({ status, body }: Reply) => [status, body]

/** The answer to a dry run of an act with this answer. */
export const asDryRun = ([status, body]: readonly unknown[]) => [status, { ...(body as object), dryRun: true }]

/** The same for a refusal of an admin route or of the guard. */
export const refused = (status: number, message: string) => [status, { status, message }]

export const notFound = refused(404, 'User not found')
export const noIdentifier = refused(400, 'userId or username is required')
export const mayNotAccess = refused(403, 'You do not have permission to access this resource')

/** Bodies and queries that name no user. */
export const nobody: readonly object[] = [
  {},
  { userId: '', username: '' },
  { userId: null, username: null },
  { userId: 7, username: ['bob'] },
  { userId: {}, username: true },
  { __proto__: null, constructor: { username: 'bob' } },
]

/** Names and ids that nobody has, however a database might treat them. */
export const hostile: readonly string[] = [
  'x'.repeat(10_000),
  'x'.repeat(33),
  'ab',
  ' ',
  'bob\0',
  '\0',
  "' OR '1'='1",
  "bob'; DROP TABLE users; --",
  'bob" OR ""="',
  ...'% b_b __proto__ constructor'.split(' '),
  // The Kelvin sign, whose lower case is k.
  ...'\u212Aeeper \u017Fupport 💥 ../../etc/passwd $ne 00000000-0000-0000-0000-000000000000'.split(' '),
  ...'ffffffff-ffff-ffff-ffff-ffffffffffff null undefined'.split(' '),
]

/** An account and its audit, as an owner sees them: every trace that an act would leave. */
export async function stateOf({ service }: Stage, id: string, token: string): Promise<object> {
  const [found, audit] = await Promise.all(
    [`/admin/user/search?userId=${id}`, `/admin/audit?target=${id}`].map((path) =>
      service.request('GET', path, { token }),
    ),
  )
  const { ban } = (await service.request('GET', `/admin/user/ban?userId=${id}`, { token })).body
  return { user: found?.body.user, events: audit?.body.events, ban }
}
