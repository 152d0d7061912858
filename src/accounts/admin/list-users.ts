import { JsonStreamResponse } from '../../http/responses.ts'
import type { Directory, ListedUser } from '../directory.ts'
import type { Journal } from '../journal.ts'
import { chunkOfList } from './limits.ts'
import { asksForPage, type PageQuery, pageOfUsers } from './page-of-users.ts'
import { toDashboardRow, toListEntry } from './schemas.ts'

interface Deps {
  readonly directory: Directory
  readonly journal: Journal
}

/** Keyed by name: whole and as it is read, or a page. */
export async function listUsers({ directory, journal }: Deps, query: PageQuery) {
  await journal.flush()
  if (!asksForPage(query))
    return new JsonStreamResponse(entries('{"status":200,"users":{', everyUser(directory), keyedOnce(), '}}'))
  const { rows: users, next } = await pageOfUsers(directory, query)
  // Built from entries, so that a user named __proto__ is one like any other.
  return { status: 200, users: Object.fromEntries(users.map((user) => [user.username, toListEntry(user)])), next }
}

/** One row a user, and sums over everybody whatever the page. */
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

/** A name that went from one account to another meanwhile would be a key twice, and readers keep one: better no list. */
function keyedOnce() {
  const names = new Set<string>()
  return (user: ListedUser) => {
    const { username } = user
    if (names.has(username)) throw new Error(`the name ${username} changed hands while the users were listed`)
    names.add(username)
    return `${JSON.stringify(username)}:${JSON.stringify(toListEntry(user))}`
  }
}

/** In short reads by id: a slow client holds no statement open, and nobody appears twice. */
async function* everyUser(directory: Directory): AsyncGenerator<ListedUser[]> {
  for (let last: string | null = null; ; ) {
    const users = await directory.chunk(last, chunkOfList)
    yield users
    if (users.length < chunkOfList) return
    last = users.at(-1)?.id ?? null
  }
}

/** Small enough that each text is gone with the next young collection: larger ones pile up until an old one. */
const writtenAtOnce = 25

async function* entries(
  head: string,
  chunks: AsyncIterable<ListedUser[]>,
  write: (user: ListedUser) => string,
  tail: string,
): AsyncGenerator<string> {
  let lead = head
  for await (const users of chunks) {
    for (let from = 0; from === 0 || from < users.length; from += writtenAtOnce) {
      const part = users.slice(from, from + writtenAtOnce)
      if (lead === head || part.length > 0) yield lead + part.map(write).join(',')
      lead = ','
    }
  }
  yield tail
}
