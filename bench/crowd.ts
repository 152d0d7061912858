import { sql } from 'kysely'
import pg from 'pg'
import { allUsers } from '../src/drivers/accounts/database.ts'
import { type DatabaseSettings, openDatabase } from '../src/drivers/accounts/open-database.ts'
import { createIds } from '../src/lib/ids.ts'
import { dayOf } from '../src/lib/timestamps.ts'
import { seededRandom } from '../test/support/uniform.ts'

/** Found in one name in fourteen, in one in ten thousand, in none, and in none but too short for an index. */
export const nameParts = { common: 'mari', rare: 'zyx', absent: 'qqqq', short: 'q-' }

const dayMs = 86_400_000
const registeredDays = 400
const countedDays = 30
const atOnce = 5000

const words = (text: string) => text.split(' ')
const firstNames = words(
  'Maria anna Lukas Emma paul Sofia Jonas Lea noah Mia Ben Clara leon Ida Felix Nora Tom Eva max Ruth Omar Yuki Chen ' +
    'Priya Ivan Zoe Hugo Ada Finn Lily Karl Vera',
)
const lastNames = words(
  'Smith mueller Garcia Rossi Kim nguyen Silva Novak Kowalski Jensen OBrien Patel Tanaka Ivanova Dubois haddad ' +
    'Okafor Larsen Marino Weber Costa Moreau Singh Berg',
)
const signs = ['', '.', '_', '-']
const passwordHash = `$argon2id$v=19$m=19456,t=2,p=1$${'c2FsdHNhbHRzYWx0c2FsdA'}$${'A'.repeat(43)}`
type Row = (string | number | null)[]
type Columns = Readonly<Record<string, 'text' | 'integer'>>

const columnsOf = (text: string): Columns =>
  Object.fromEntries(words(text).map((name) => [name.replace('#', ''), name.startsWith('#') ? 'integer' : 'text']))
/** A # marks integers. */
const usageColumns = columnsOf('user_id day #auth #admin #images')
const userColumns = columnsOf(
  'id username role #banned ban_reason #banned_at #banned_until password_hash token_hash #created_at #updated_at ' +
    'requests_id #auth #admin #images #requests_created_at #requests_updated_at',
)

/**
 * Writes `count` users into an empty database, registered over the last year, with their requests of the last two
 * months: one in a thousand is a moderator, one in fifty is banned, one in twenty never came back.
 */
export async function seedCrowd(place: DatabaseSettings, count: number): Promise<void> {
  const database = await openDatabase(place)
  const { kysely, rowsOf } = database
  const random = seededRandom(7)
  const below = (limit: number) => Math.floor(random() * limit)
  const startedAt = Date.now() - registeredDays * dayMs
  let now = startedAt
  const newId = createIds({ now: () => Math.floor(now), monotonic: () => now })
  const sums = new Map<string, [auth: number, admin: number, images: number]>()

  const insert = async (table: string, columns: Columns, rows: readonly Row[]) => {
    const values = Object.values(columns).map((type, place) =>
      type === 'text' ? sql`value ->> ${sql.lit(place)}` : sql`CAST(value ->> ${sql.lit(place)} AS bigint)`,
    )
    await sql`INSERT INTO ${sql.table(table)} (${sql.join(Object.keys(columns).map((name) => sql.ref(name)))})
      SELECT ${sql.join(values)} FROM ${rowsOf(JSON.stringify(rows))}`.execute(kysely)
  }

  /** On two days, so that a user has more than one row. */
  const requestsOf = (id: string, isStaff: boolean): { usage: Row[]; total: [number, number, number] } => {
    const usage: Row[] = []
    const total: [number, number, number] = [0, 0, 0]
    const firstDay = below(countedDays)
    for (const ago of [firstDay, firstDay + 1 + below(countedDays)]) {
      const day = dayOf(Date.now() - ago * dayMs)
      const counts = [1 + below(8), isStaff ? below(50) : 0, Math.floor(1 / (0.001 + random()))] as const
      usage.push([id, day, ...counts])
      const sum = sums.get(day) ?? [0, 0, 0]
      sums.set(day, sum)
      for (const kind of [0, 1, 2] as const) {
        total[kind] += counts[kind]
        sum[kind] += counts[kind]
      }
    }
    return { usage, total }
  }

  const nameOf = (index: number) => {
    const name = `${firstNames[below(firstNames.length)]}${signs[below(signs.length)]}${lastNames[below(lastNames.length)]}`
    return `${index % 9973 === 77 ? 'Zyx' : ''}${index % 7 === 0 ? name.toUpperCase() : name}${index.toString(36)}`
  }

  try {
    for (let from = 0; from < count; from += atOnce) {
      const users: Row[] = []
      const days: Row[] = []
      for (let index = from; index < Math.min(count, from + atOnce); index += 1) {
        now = startedAt + (index * registeredDays * dayMs) / count
        const [id, createdAt] = [newId(), Math.floor(now)]
        const role = index % 1000 === 500 ? 'moderator' : index % 5000 === 70 ? 'support' : 'user'
        const isBanned = index % 50 === 25
        const { usage, total } = index % 20 === 3 ? { usage: [], total: [0, 0, 0] } : requestsOf(id, role !== 'user')
        const counted = usage.length > 0
        users.push([
          ...[id, nameOf(index), role, isBanned ? 1 : 0, isBanned ? 'Spam in the comments' : null],
          // A third of the bans are temporary.
          ...[isBanned ? createdAt : null, isBanned && index % 3 === 0 ? Date.now() + registeredDays * dayMs : null],
          ...[passwordHash, index % 3 === 0 ? id.replaceAll('-', '').repeat(2) : null, createdAt, createdAt],
          ...[counted ? newId() : null, ...total, counted ? createdAt : null, counted ? createdAt : null],
        ])
        days.push(...usage)
      }
      await insert('users', userColumns, users)
      await insert('usage', usageColumns, days)
    }
    const everyDay = [...sums].map(([day, sum]) => [allUsers, day, ...sum])
    await insert('usage', usageColumns, everyDay)
    // Autovacuum would do this a minute later.
    if (place.DATABASE_URL) await vacuum(place.DATABASE_URL)
  } finally {
    await database.close()
  }
}

/** On a connection of its own: among a million users, it takes longer than the service waits for a statement. */
async function vacuum(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  for (let i = 0; i < 2; i += 1) await client.query('VACUUM (ANALYZE)')
  await client.end()
}
