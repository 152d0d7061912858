import { sqliteLease } from '../src/drivers/status-state/sqlite.ts'
import { createIds } from '../src/lib/ids.ts'
import { dayMs } from '../src/lib/timestamps.ts'
import { type Component, type Event, next, type Rules, registered } from '../src/status/component.ts'
import type { Maintenance } from '../src/status/maintenance.ts'
import { partsOf } from '../src/status/saver.ts'
import type { Status } from '../src/status/statuses.ts'
import { createUptime } from '../src/status/uptime.ts'
import { type Chance, createPlan, createSetClock } from './chance.ts'

/** For STATUS_PAGE_COMPONENTS. */
export const publicComponents =
  'website=Website/Pages, api=API/Pages, search=Search/Pages, database=Database/Storage, object-store=Images/Storage, backup=Nightly backup/Storage, newsletter=Newsletter/Messages'

/** Those that the API does not report, and that are well. */
export const wellComponents = ['website', 'search'] as const
const components = [...wellComponents, 'api', 'database', 'object-store', 'backup', 'newsletter']

const [minuteMs, hourMs] = [60_000, 3_600_000]
const timeoutMs = 3 * minuteMs
const historyMs = 89.5 * dayMs

interface Seeding {
  readonly dataDir: string
  readonly chance: Chance
  readonly now: number
}

/** Writes 90 days of the status worker's history by its own state machine; the newsletter is silent at the end. */
export async function seedStatus({ dataDir, chance, now }: Seeding): Promise<void> {
  const lease = sqliteLease({ dataDir })
  const store = await lease.acquire(new AbortController().signal, () => {})
  const clock = createSetClock(now - historyMs)
  const newId = createIds(clock, chance.fill)
  const timeouts = { timeoutMs, maintenanceTimeoutMs: hourMs, configured: null }
  const rules: Rules = { timeouts, targets: [], publishesSilence: true, startGraceMs: 120_000, newId }
  const uptime = createUptime({ store, clock, log: console })
  const known = new Map<string, Component>()
  const moves: ReturnType<typeof partsOf>[] = []
  const plan = createPlan(clock)

  const step = (id: string, event: Event) => {
    const moment = { wall: clock.now(), monotonic: clock.monotonic() }
    const before = known.get(id)
    if (!before && event.kind !== 'heartbeat') return
    const { component, effects } = before
      ? next(before, event, moment, rules)
      : registered(id, event as Extract<Event, { kind: 'heartbeat' }>, moment, rules)
    known.set(id, component)
    uptime.observe(component)
    moves.push(partsOf(id, effects))
  }
  const heartbeat = (id: string, at: number, status: Status = 'operational', message?: string) =>
    plan.at(at, () => step(id, { kind: 'heartbeat', status, message }))
  const silence = (id: string, from: number, ms: number) => {
    heartbeat(id, from - timeoutMs)
    plan.at(from + 5_000, () => step(id, { kind: 'deadline' }))
    if (from + ms < now) heartbeat(id, from + ms)
  }
  const maintain = (id: string, { id: window, from, until }: Maintenance) => {
    plan.at(from, () => step(id, { kind: 'maintenance', id: window }))
    plan.at(until, () => step(id, { kind: 'maintenance', id: null }))
  }

  for (const id of components) heartbeat(id, now - historyMs)
  for (const [place, id] of chance.shuffled([...components, ...components]).entries()) {
    const from = now - chance.between(2 + place * 5, 6 + place * 5) * dayMs - chance.between(0, dayMs)
    const ms = chance.between(8, 160) * minuteMs
    if (place % 3 === 0) silence(id, from, ms)
    else {
      heartbeat(id, from, place % 3 === 1 ? 'degraded' : 'partial', 'Slower than usual')
      heartbeat(id, from + ms)
    }
  }
  const day = now - (now % dayMs)
  const past = window('Moving to the new disks', ['database', 'object-store'], day - 12 * dayMs + 2 * hourMs, 2)
  for (const id of past.components) maintain(id, past)
  const lastBackupAt = now - (now % dayMs < 4 * hourMs ? 21 * hourMs : 3 * hourMs)
  plan.at(lastBackupAt, () =>
    step('backup', { kind: 'heartbeat', status: 'operational', expectWithinMs: 26 * hourMs, message: 'complete' }),
  )
  silence('newsletter', now - 40 * minuteMs, hourMs)
  await plan.run()
  clock.set(now)

  try {
    await store.save({
      components: [...known.values()],
      opened: moves.flatMap(({ opened }) => opened),
      resolved: moves.flatMap(({ resolved }) => resolved),
      moved: moves.flatMap(({ moved }) => moved),
      audited: [],
    })
    await uptime.flush()
    await store.savePublished({ maintenance: [past] }, null)
    await store.savePublished(
      { maintenance: [window('A new version of PostgreSQL', ['database'], day + 3 * dayMs + 2 * hourMs, 1)] },
      null,
    )
    const announcement = { id: newId(), until: null, endedAt: null }
    const news = 'New images of birds arrive every Monday.'
    await store.savePublished({ announcements: [{ ...announcement, text: news, from: now - 2 * dayMs }] }, null)
  } finally {
    await lease.close()
  }

  function window(text: string, of: readonly string[], from: number, hours: number): Maintenance {
    return { id: newId(), text, components: of, from, until: from + hours * hourMs, endedAt: null }
  }
}
