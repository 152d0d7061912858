import type { Origin } from '../src/accounts/audit.ts'
import type { EmbedLink } from '../src/accounts/embed-links.ts'
import type { Batch } from '../src/accounts/journal.ts'
import type { ApiKey } from '../src/accounts/keys.ts'
import type { Role } from '../src/accounts/roles.ts'
import type { Database } from '../src/drivers/accounts/database.ts'
import { createEmbedLinks } from '../src/drivers/accounts/embed-links.ts'
import { createJournalStore } from '../src/drivers/accounts/journal-store.ts'
import { createReportStore } from '../src/drivers/accounts/report-store.ts'
import { createUserStore } from '../src/drivers/accounts/user-store.ts'
import { targetOf } from '../src/images/admin/records.ts'
import { createIds, idAt } from '../src/lib/ids.ts'
import { dayMs } from '../src/lib/timestamps.ts'
import { type Chance, createPlan, createSetClock } from './chance.ts'
import type { SampleImage } from './images.ts'
import { handles } from './words.ts'

export interface Member {
  readonly id: string
  readonly username: string
  readonly role: Role
  readonly joinedAt: number
  readonly address: string
  /** Requests on a weekday. */
  readonly pace: number
  readonly keys: ApiKey[]
  readonly links: EmbedLink[]
}

export interface Seeding {
  readonly dataDir: string
  readonly password: string
  readonly chance: Chance
  readonly now: number
  readonly images: readonly SampleImage[]
}

export const usageDays = 60
export const hourMs = 3_600_000
const historyMs = 120 * dayMs
const userCount = 200
const staff: readonly Role[] = ['owner', ...many('admin', 3), ...many('moderator', 6), ...many('support', 8)]

function many(role: Role, count: number): Role[] {
  return Array.from({ length: count }, () => role)
}

export type World = ReturnType<typeof createWorld>

/** The members, the stores of the service on a clock of their own, and the plan of what happens when. */
export function createWorld(database: Database, seeding: Seeding) {
  const { chance, now, images } = seeding
  const clock = createSetClock(now - historyMs)
  const newId = createIds(clock, chance.fill)
  const stored = { clock, newId }
  const members = makeMembers(seeding, newId)
  const journal = createJournalStore(database, stored)
  const of = (...roles: Role[]) => members.filter(({ role }) => roles.includes(role))
  const by = ({ id: actor, address }: Member): Origin => ({ actor, address, requestId: newId() })
  return {
    chance,
    now,
    images,
    clock,
    newId,
    members,
    of,
    by,
    plan: createPlan(clock),
    users: createUserStore(database, stored),
    embedLinks: createEmbedLinks(database, stored),
    reports: createReportStore(database, stored),
    keeper: members[0] as Member,
    byAdministrator: () => by(chance.pick(of('owner', 'admin'))),
    some: (count: number) => chance.shuffled(of('user')).slice(0, count),
    /** Within the days of usage, once the member has joined. */
    sometime({ joinedAt }: Member): number {
      const from = Math.max(joinedAt + hourMs, now - usageDays * dayMs)
      return from + Math.floor(chance.next() * Math.max(0, now - hourMs - from))
    },
    record: (batch: Partial<Batch>) => journal.write({ id: newId(), counts: [], events: [], ...batch }),
    pending: (origin: Origin) => ({
      ...origin,
      id: newId(),
      happenedAt: clock.monotonic(),
      count: 1,
      before: null,
      after: null,
    }),
    targetOf: (name: string) => targetOf({ bucket: 'images', name }),
  }
}

/** The staff first, in the order of their roles. */
function makeMembers({ chance, now }: Seeding, newId: () => string): Member[] {
  const names = ['keeper', ...chance.shuffled(handles)]
  return Array.from({ length: userCount }, (_, place) => {
    const role = staff[place] ?? 'user'
    // More and more over time.
    const share = role === 'user' ? 0.05 + 0.95 * Math.sqrt(chance.next()) : place / 1000
    const joinedAt = Math.floor(now - historyMs + share * (historyMs - hourMs))
    return {
      id: idAt(joinedAt * 1000, newId()),
      username: names[place] as string,
      role,
      joinedAt,
      keys: [],
      links: [],
      address: `198.51.100.${chance.between(1, 254)}`,
      // A few do most.
      pace: Math.round(4 / (0.02 + chance.next() ** 2)),
    }
  })
}
