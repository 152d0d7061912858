import { choice, flag, optional, parsed, type ValuesOf } from '../../http/fields.ts'
import { JsonStreamResponse } from '../../http/responses.ts'
import { isId } from '../../lib/ids.ts'
import { type Directory, type ListedUser, type Order, type SortKey, sortKeys } from '../directory.ts'
import { roles } from '../roles.ts'
import { exampleId } from '../schemas.ts'
import { errors } from './errors.ts'
import type { ReadDeps } from './identify.ts'
import { defaultPageSize, listChunkSize, maxIds } from './limits.ts'
import { cursorField, limitField, type Page, pageOf, readCursor } from './page.ts'
import { toDashboardRow, toListEntry } from './schemas.ts'

const sorts = sortKeys.flatMap((key) => [key, `-${key}`] as const)

export const pageFields = {
  limit: limitField,
  cursor: cursorField,
  q: optional({ description: 'Only usernames that contain this text, in any case; there are no wildcards' }),
  role: choice(roles, errors.badRoleFilter, { description: 'Only users with this role' }),
  banned: flag(errors.badBannedFilter, { description: 'Only banned users, or only users who are not banned' }),
  sort: choice(sorts, errors.badSort, { default: 'createdAt', description: 'A leading `-` means descending' }),
  ids: parsed(readIds, {
    invalid: errors.badIds,
    empty: errors.badIds,
    description: `Only these users: at most ${maxIds} comma-separated ids`,
    examples: [exampleId],
  }),
}

function readIds(text: string): readonly string[] | undefined {
  const ids = text.split(',')
  return ids.length <= maxIds && ids.every(isId) ? ids : undefined
}

type PageQuery = Partial<ValuesOf<typeof pageFields>>

/** Keyed by username: the whole list as a stream, or one page. */
export async function listUsers({ directory, journal }: ReadDeps, query: PageQuery) {
  await journal.flush()
  if (!asksForPage(query))
    return new JsonStreamResponse(entries('{"status":200,"users":{', everyUser(directory), keyedOnce(), '}}'))
  const { rows: users, next } = await pageOfUsers(directory, query)
  // Object.fromEntries treats a user named __proto__ like any other.
  return { status: 200, users: Object.fromEntries(users.map((user) => [user.username, toListEntry(user)])), next }
}

/** One row per user; the summary covers all users, whatever the page. */
export async function showDashboard({ directory, journal }: ReadDeps, query: PageQuery) {
  await journal.flush()
  const summary = directory.summary()
  if (!asksForPage(query)) {
    const head = `{"status":200,"summary":${JSON.stringify(await summary)},"users":[`
    return new JsonStreamResponse(
      entries(head, everyUser(directory), (user) => JSON.stringify(toDashboardRow(user)), ']}'),
    )
  }
  const [{ rows: users, next }, sums] = await Promise.all([pageOfUsers(directory, query), summary])
  return { status: 200, summary: sums, users: users.map(toDashboardRow), next }
}

/** Aborts the list if a name has meanwhile moved to another account: a duplicate key would hide one of the two. */
function keyedOnce() {
  const names = new Set<string>()
  return (user: ListedUser) => {
    const { username } = user
    if (names.has(username)) throw new Error(`${username} moved to another account while the users were listed`)
    names.add(username)
    return `${JSON.stringify(username)}:${JSON.stringify(toListEntry(user))}`
  }
}

/** Reads in chunks by id, so that a slow client holds no statement open and no user appears twice. */
async function* everyUser(directory: Directory): AsyncGenerator<ListedUser[]> {
  for (let last: string | null = null; ; ) {
    const users = await directory.chunk(last, listChunkSize)
    yield users
    if (users.length < listChunkSize) return
    last = users.at(-1)?.id ?? null
  }
}

/** V8's young generation collections free strings of this many users; larger ones pile up. */
const usersPerWrite = 25

async function* entries(
  head: string,
  chunks: AsyncIterable<ListedUser[]>,
  write: (user: ListedUser) => string,
  tail: string,
): AsyncGenerator<string> {
  let lead = head
  for await (const users of chunks) {
    for (let from = 0; from === 0 || from < users.length; from += usersPerWrite) {
      const part = users.slice(from, from + usersPerWrite)
      if (lead === head || part.length > 0) yield lead + part.map(write).join(',')
      lead = ','
    }
  }
  yield tail
}

const asksForPage = (query: PageQuery) => Object.values(query).some((value) => value !== undefined)

/**
 * Keyset pagination: a page continues after the last row of the previous one. Refuses a `sort` other than the cursor's.
 */
async function pageOfUsers(directory: Directory, query: PageQuery): Promise<Page<ListedUser>> {
  const { limit = defaultPageSize, q: part, ids, role, banned } = query
  const after = query.cursor === undefined ? null : readCursor(query.cursor, query.sort ? [query.sort] : sorts)
  const sort = after?.sort ?? query.sort ?? 'createdAt'
  const order = orderOf(sort)
  const found = await directory.page({ filter: { part, ids, role, banned }, order, after, limit: limit + 1 })
  return pageOf(found, limit, (last) => ({ sort, value: sortedBy(last, order.by), id: last.id }))
}

const orderOf = (sort: string): Order => ({ by: sort.replace('-', '') as SortKey, descending: sort.startsWith('-') })

function sortedBy({ createdAt, username, requests }: ListedUser, key: SortKey): string | number {
  if (key === 'createdAt') return createdAt
  return key === 'username' ? username.toLowerCase() : (requests?.total ?? 0)
}
