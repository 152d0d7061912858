import type { AuditEvent, Outcome } from './audit.ts'
import type { Counts } from './counts.ts'
import type { Role } from './roles.ts'
import type { Account, Who } from './users.ts'

/** The request counters of a user; null before the first counted request. */
export interface RequestsRecord extends Readonly<Counts> {
  readonly id: string
  readonly total: number
  readonly createdAt: number
  readonly updatedAt: number
}

export interface ListedUser extends Omit<Account, 'passwordHash'> {
  readonly requests: RequestsRecord | null
}

export const sortKeys = ['createdAt', 'username', 'total'] as const
export type SortKey = (typeof sortKeys)[number]

export interface Order {
  readonly by: SortKey
  readonly descending: boolean
}

/** All given conditions must hold. */
export interface UserFilter {
  readonly role?: Role | undefined
  readonly banned?: boolean | undefined
  readonly ids?: readonly string[] | undefined
  /** A substring of the username, case-insensitive; no character is special. */
  readonly part?: string | undefined
}

/** The last row of a page: its sort key and id. */
export interface PagePosition {
  readonly value: string | number
  readonly id: string
}

export interface UserPage {
  readonly filter: UserFilter
  readonly order: Order
  readonly after: PagePosition | null
  readonly limit: number
}

export interface Summary {
  readonly totalUsers: number
  readonly bannedUsers: number
  readonly totalRequests: number
  readonly adminRequests: number
  readonly authRequests: number
  readonly imageRequests: number
}

export interface UsageDay extends Readonly<Counts> {
  readonly day: string
  /** How many of these requests used an API key, if any. */
  readonly keys?: number
  readonly total: number
}

export interface EventPage {
  readonly id?: string | undefined
  readonly actor?: string | readonly string[] | undefined
  readonly target?: string | readonly string[] | undefined
  readonly action?: string | undefined
  readonly outcome?: Outcome | undefined
  /** Inclusive. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly before: PagePosition | null
  readonly limit: number
}

/** Queries of administrators. Every method throws Unavailable if the database is down. */
export interface Directory {
  find(who: Who): Promise<ListedUser | null>
  page(page: UserPage): Promise<ListedUser[]>
  /** Users ordered by id, to read each of them once, in short reads. */
  chunk(afterId: string | null, limit: number): Promise<ListedUser[]>
  summary(): Promise<Summary>
  /** Accounts by role. */
  roles(): Promise<Readonly<Record<Role, number>>>
  /** The usage of one user, or of all together. Omits days without a counted request. */
  usage(query: { userId: string | null; from: string; to: string }): Promise<UsageDay[]>
  /** Ids of accounts that once had this name, case-insensitive, as far back as events are kept. */
  formerly(username: string): Promise<string[]>
  /** Newest first. */
  events(page: EventPage): Promise<AuditEvent[]>
}
