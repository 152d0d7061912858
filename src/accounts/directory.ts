import type { AuditEvent } from './audit.ts'
import type { Role } from './roles.ts'
import type { Account, Who } from './users.ts'

/** The counters of a user; a user without a counted request has none. */
export interface RequestsRecord {
  readonly id: string
  readonly auth: number
  readonly admin: number
  readonly images: number
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

/** Every given condition holds at once. */
export interface UserFilter {
  readonly role?: Role | undefined
  readonly banned?: boolean | undefined
  /** Stands in the username, without regard to case; no character in it is special. */
  readonly part?: string | undefined
}

/** Where a page ended: the value that it is sorted by, and the id of that row. */
export interface Place {
  readonly value: string | number
  readonly id: string
}

export interface UserPage {
  readonly filter: UserFilter
  readonly order: Order
  readonly after: Place | null
  readonly limit: number
}

/** All integers, of everybody. */
export interface Summary {
  readonly totalUsers: number
  readonly bannedUsers: number
  readonly totalRequests: number
  readonly adminRequests: number
  readonly authRequests: number
  readonly imageRequests: number
}

export interface UsageDay {
  readonly day: string
  readonly auth: number
  readonly admin: number
  readonly images: number
  readonly total: number
}

export interface UsageQuery {
  /** Null: of everybody together. */
  readonly userId: string | null
  readonly from: string
  readonly to: string
}

export interface EventPage {
  /** This one, or any of these. */
  readonly actor?: string | readonly string[] | undefined
  readonly target?: string | readonly string[] | undefined
  readonly action?: string | undefined
  /** Both ends are meant. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly before: Place | null
  readonly limit: number
}

/** What administrators look at. Every method throws Unavailable when the database is away. */
export interface Directory {
  find(who: Who): Promise<ListedUser | null>
  /** At most `limit` users in that order, after that place. */
  page(page: UserPage): Promise<ListedUser[]>
  /** At most `limit` users by id, after that id: to read all of them, each once, in short reads. */
  chunk(afterId: string | null, limit: number): Promise<ListedUser[]>
  summary(): Promise<Summary>
  /** Days without a counted request are left out. */
  usage(query: UsageQuery): Promise<UsageDay[]>
  /** Ids of the accounts that had this name at some time, without regard to case, as far back as events are kept. */
  formerly(username: string): Promise<string[]>
  /** Newest first. */
  events(page: EventPage): Promise<AuditEvent[]>
}
