import { JsonStreamResponse } from '../../http/responses.ts'
import type { Directory, ListedUser } from '../directory.ts'
import type { Journal } from '../journal.ts'
import { listChunkSize } from './limits.ts'
import { asksForPage, type PageQuery, pageOfUsers } from './page-of-users.ts'
import { toDashboardRow, toListEntry } from './schemas.ts'

interface Deps {
  readonly directory: Directory
  readonly journal: Journal
}

/** Keyed by username: streamed whole, or a page. */
export async function listUsers({ directory, journal }: Deps, query: PageQuery) {
  await journal.flush()
  if (!asksForPage(query))
    return new JsonStreamResponse(entries('{"status":200,"users":{', everyUser(directory), keyedOnce(), '}}'))
  const { rows: users, next } = await pageOfUsers(directory, query)
  // Object.fromEntries takes a user named __proto__ like any other.
  return { status: 200, users: Object.fromEntries(users.map((user) => [user.username, toListEntry(user)])), next }
}

/** One row per user; the summary covers all users, whatever the page. */
export async function showDashboard({ directory, journal }: Deps, query: PageQuery) {
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

/** Breaks the list off if a name moved to another account meanwhile: as a duplicate key it would hide one of the two. */
function keyedOnce() {
  const names = new Set<string>()
  return (user: ListedUser) => {
    const { username } = user
    if (names.has(username)) throw new Error(`the name ${username} changed hands while the users were listed`)
    names.add(username)
    return `${JSON.stringify(username)}:${JSON.stringify(toListEntry(user))}`
  }
}

/** Reads in chunks by id, so that a slow client holds no statement open, and nobody appears twice. */
async function* everyUser(directory: Directory): AsyncGenerator<ListedUser[]> {
  for (let last: string | null = null; ; ) {
    const users = await directory.chunk(last, listChunkSize)
    yield users
    if (users.length < listChunkSize) return
    last = users.at(-1)?.id ?? null
  }
}

/** Strings of this many users are freed by V8's young generation collections; larger ones pile up. */
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
