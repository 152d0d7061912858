import { type Generated, type GeneratedAlways, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Counts } from '../../accounts/counts.ts'
import type { UserFilter } from '../../accounts/directory.ts'
import type { Period } from '../../images/period.ts'
import type { Orientation } from '../../images/shapes/choices.ts'
import type { Clock } from '../../lib/clock.ts'
import type { NewId } from '../../lib/ids.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'

export interface UsersTable {
  id: string
  username: string
  /** In lower case, for lookups and sorting. */
  username_key: GeneratedAlways<string>
  role: string
  banned: number
  ban_reason: string | null
  banned_at: number | null
  banned_until: number | null
  banned_by: string | null
  password_hash: string
  token_hash: string | null
  created_at: number
  updated_at: number
  /** Null until the first counted request. */
  requests_id: string | null
  auth: Generated<number>
  admin: Generated<number>
  images: Generated<number>
  total: GeneratedAlways<number>
  requests_created_at: number | null
  requests_updated_at: number | null
}

/** Stands for a user's id: the sums over all users, which are kept forever. */
export const allUsers = ''

export interface UsageTable extends Counts {
  user_id: string
  day: string
  /** How many of these requests used an API key. */
  keys: Generated<number>
}

export interface KeysTable {
  id: string
  user_id: string
  name: string
  /** Comma-separated. */
  scopes: string
  limit_per_minute: number | null
  created_at: number
  expires_at: number | null
  last_used_at: number | null
  requests: Generated<number>
}

/** A rotated key has several secrets until the older ones expire. */
export interface KeySecretsTable {
  hash: string
  key_id: string
  expires_at: number | null
}

export interface AuditTable {
  id: string
  at: number
  action: string
  outcome: string
  actor: string | null
  target: string | null
  address: string | null
  request_id: string | null
  count: Generated<number>
  before: string | null
  after: string | null
}

/** Batches of the journal that have been written, so that none is written twice. */
export interface BatchesTable {
  id: string
  at: number
}

export interface EmbedLinksTable {
  id: string
  user_id: string
  /** Comma-separated. */
  kinds: string
  created_at: number
  expires_at: number
  is_repeating: Generated<number>
  orientation: Orientation | null
  /** Comma-separated, as those of the images that it must not show. */
  tags: string | null
  without_tags: string | null
  /** Null: another image on each request. */
  per: Period['per'] | null
  time_zone: string | null
  last_used_at: number | null
}

/** Sign-ins to the console. */
export interface SessionsTable {
  id: string
  user_id: string
  /** The SHA-256 of the cookie. */
  hash: string
  created_at: number
  expires_at: number
  last_used_at: number
  address: string
  browser: string
}

/** How far a user or an embed link has come through the images of a kind. */
export interface WalksTable {
  /** The id of the link or else the user, and the kind. */
  name: string
  user_id: string
  link_id: string | null
  round: number
  place: number
  /** The day of the last step. */
  day: string
}

/** The image that everybody gets during a period, by the terms of the choice. */
export interface PeriodImagesTable {
  name: string
  period: number
  kind: string
  filename: string
  /** How far the walk through each kind has come, as JSON. */
  positions: string
  chosen_at: number
  /** Null: chosen before this was known. */
  user_id: string | null
}

/** Main colour and ThumbHash of the version of an image that has been decoded. */
export interface ImageLooksTable {
  name: string
  etag: string
  color: string
  thumbhash: string
}

/** No size can be made of the version of an image. */
export interface UndecodableImagesTable {
  name: string
  etag: string
}

/** All reports of an image until they are resolved together. */
export interface ReportsTable {
  id: string
  name: string
  /** The image's ETag when it was first reported. */
  etag: string
  /** The number of users who reported it, including deleted ones. */
  count: number
  created_at: number
  updated_at: number
  /** Null while it is open. */
  closed_at: number | null
  action: string | null
  closed_by: string | null
}

export interface ReportReasonsTable {
  report_id: string
  user_id: string
  reason: string
  at: number
}

/** What people say about an image. Without any text or tag it has no details any more. */
export interface ImageDetailsTable {
  name: string
  alt: string | null
  title: string | null
  artist: string | null
  source: string | null
  license: string | null
  /** Comma-separated. */
  tags: string
  /** That of the last change. */
  version: number
  changed_at: number
  /** When a listing of the store did not contain the image, and none has since. */
  absent_since: number | null
}

/** One row. Rows without details whose version is at most `forgotten` may have been deleted. */
export interface DetailsVersionTable {
  version: number
  forgotten: number
}

export interface Tables {
  users: UsersTable
  embed_links: EmbedLinksTable
  sessions: SessionsTable
  walks: WalksTable
  period_images: PeriodImagesTable
  image_looks: ImageLooksTable
  undecodable_images: UndecodableImagesTable
  batches: BatchesTable
  usage: UsageTable
  audit: AuditTable
  api_keys: KeysTable
  key_secrets: KeySecretsTable
  reports: ReportsTable
  report_reasons: ReportReasonsTable
  hidden_images: { name: string }
  hidden_version: { version: number }
  image_details: ImageDetailsTable
  image_details_version: DetailsVersionTable
}

/** Finds one row by a unique key. */
export interface RowQuery {
  readonly columns: readonly string[]
  readonly from: string
  readonly key: string
}

export type Find<Found> = (key: string) => MaybePromise<Found | null>

/** Everything that differs between the two databases. */
export interface Database {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** Connects and migrates, if that is still to be done. Throws BadDatabase, or Unavailable if the server is away. */
  prepare(): Promise<void>
  readonly kysely: Kysely<Tables>
  /** For administrators' queries, which may take long: they do not block the event loop. Reads only. */
  readonly longReads: Kysely<Tables>
  /** For what guards read at every request: what `read` makes of the row as of now, never from before the call. */
  finder<Row extends object, Found>(query: RowQuery, read: (row: Row) => Found | null): Find<Found>
  readonly schemaVersion: number
  /** Appended to a SELECT in a transaction to lock its rows. Null if the transaction locks all rows anyway. */
  readonly holdRows: RawBuilder<unknown> | null
  /** Lets only one transaction at a time insert an owner. Null if that is so anyway. */
  readonly holdOwners: RawBuilder<unknown> | null
  /** Appended to a SELECT whose best plan depends on its values, so that it is planned each time. */
  readonly replan: RawBuilder<unknown>
  /** The number of all users, as an expression. */
  readonly userCount: RawBuilder<number>
  /** Whether `now` is the server's clock: several machines write, and one clock has to order the audit. */
  readonly keepsTime: boolean
  /** In microseconds since the epoch, evaluated within the statement. */
  now(clock: Clock): RawBuilder<number>
  /** Retried if the database rolled it back or the connection was lost before the commit. */
  transaction<T>(act: (trx: Kysely<Tables>) => Promise<T>): Promise<T>
  /** A JSON array of arrays as a table with one column, `value`: any number of rows in one parameter. */
  rowsOf(json: string): RawBuilder<unknown>
  /** The condition that a name contains this part: lower case, and valid in a name. */
  hasPart(part: string): RawBuilder<boolean>
  /**
   * A condition by which an index finds the few users that the filter can leave: these are sorted, instead of reading
   * all users in the order of the page until it is full. Null if they are not few, or if the planner decides by itself.
   */
  fewUsers(filter: UserFilter): Promise<RawBuilder<boolean> | null>
  /** The username in that column of the audit or null, written as in its index. */
  nameIn(column: 'before' | 'after'): RawBuilder<string | null>
  /** Whether a write violated a unique index. */
  isDuplicate(error: unknown): boolean
  ping(): Promise<void>
  /** Throws Unavailable if nothing can be saved. */
  proveWritable(): Promise<void>
  close(): Promise<void>
}

export const serviceTime = (clock: Clock) => sql<number>`CAST(${clock.now() * 1000} AS bigint)`

/** For tests: the same database, dated by the service's clock instead of the server's. */
export const withServiceClock = (database: Database): Database => ({ ...database, keepsTime: false, now: serviceTime })

/** A value in a row of `rowsOf`, by index. */
export const text = (place: number) => sql`value ->> ${sql.lit(place)}`
export const integer = (place: number) => sql`CAST(value ->> ${sql.lit(place)} AS bigint)`

/** The condition that a column has one of these values, however many there are. */
export const isAmong = ({ rowsOf }: Pick<Database, 'rowsOf'>, column: string, values: Iterable<string>) =>
  sql<boolean>`${sql.ref(column)} IN (SELECT ${text(0)} FROM ${rowsOf(JSON.stringify(Array.from(values, (each) => [each])))})`

export interface StoreDeps {
  readonly clock: Clock
  readonly newId: NewId
}

/** The database cannot be used; the message is one line for the operator. Nothing was changed. */
export class BadDatabase extends Error {
  override readonly name = 'BadDatabase'
}
