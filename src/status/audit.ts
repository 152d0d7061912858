import type { Call } from '../http/call.ts'
import type { Clock } from '../lib/clock.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import type { inIso } from './announced.ts'
import type { Announcement } from './announcements.ts'
import type { Maintenance } from './maintenance.ts'
import type { recurringInIso } from './recurring-maintenance.ts'
import type { Schedule } from './schedule.ts'
import { isComponentId } from './schemas.ts'
import type { StateStore } from './state-store.ts'

/** Every change but a heartbeat. The API's audit has the same names. */
export type ChangeAction =
  | 'retire-component'
  | 'change-component'
  | 'announce-maintenance'
  | 'change-maintenance'
  | 'end-maintenance'
  | 'announce'
  | 'end-announcement'
  | 'test-target'
  | 'acknowledge'
  | 'mute'
  | 'unmute'
  | 'open-incident'
  | 'update-incident'
  | 'delete-incident'

type Details = Readonly<Record<string, string | number | boolean | null>>

/** One change, accepted or refused for its address. The API copies it to its audit. */
export interface ChangeRecord {
  /** The id of the request: its client gets it as `X-Request-Id`, and cannot choose it. */
  readonly id: string
  readonly at: number
  readonly action: ChangeAction
  /** `success`, or `refused: ` with the message of the response. */
  readonly outcome: string
  readonly target: string | null
  /** Null for refused changes from several addresses. */
  readonly address: string | null
  /** The number of refused attempts. */
  readonly count: number
  readonly before: Details | null
  readonly after: Details | null
}

/** The request that makes a change. */
export type Sent = Pick<Call, 'requestId' | 'address'>

export interface Change extends Pick<ChangeRecord, 'action' | 'target' | 'after'> {
  readonly before?: Details
}

export const recordOf = (
  { requestId: id, address }: Sent,
  at: number,
  { before, ...change }: Change,
): ChangeRecord => ({
  id,
  at,
  address,
  outcome: 'success',
  count: 1,
  before: before ?? null,
  ...change,
})

const maxShown = 500
const shortened = (text: string) => (text.length > maxShown ? `${text.slice(0, maxShown)}…` : text)

type Window = ReturnType<typeof inIso<Maintenance>>
type Text = ReturnType<typeof inIso<Announcement>>
type Recurring = ReturnType<typeof recurringInIso>

/** What the audits of worker and API say of a change. Times are ISO timestamps. */
export const details = {
  maintenance: (window: Window): Details => ({
    components: shortened(window.components.join(', ')),
    from: window.from,
    until: window.until,
    text: window.text,
  }),
  recurringMaintenance: ({ components, schedule, tz, durationSeconds, text, endedAt }: Recurring): Details => ({
    components: shortened(components.join(', ')),
    schedule,
    tz,
    durationSeconds,
    text,
    ...(endedAt !== null && { endedAt }),
  }),
  endedMaintenance: ({ components, endedAt }: Pick<Window, 'components' | 'endedAt'>): Details => ({
    components: shortened(components.join(', ')),
    endedAt,
  }),
  announcement: ({ text, from, until }: Text): Details => ({ text, from, until }),
  endedAnnouncement: ({ text, endedAt }: Pick<Text, 'text' | 'endedAt'>): Details => ({ text, endedAt }),
  schedule: ({ cron, timeoutMs, graceMs, maxRunMs }: Schedule): Details => ({
    schedule: cron?.expression ?? null,
    tz: cron?.tz ?? null,
    expectWithinSeconds: cron || timeoutMs === null ? null : timeoutMs / 1000,
    graceSeconds: graceMs === null ? null : graceMs / 1000,
    maxRunSeconds: maxRunMs === null ? null : maxRunMs / 1000,
  }),
  acknowledged: (by: string): Details => ({ by }),
  muted: ({ until, by }: { readonly until: string; readonly by: string }): Details => ({ until, by }),
  /** What the last update says and changes. */
  incident: ({ byHand, components, updates }: Written): Details => {
    const last = updates.at(-1)
    return {
      ...(byHand && { title: byHand.title, level: byHand.level }),
      components: shortened(components.join(', ')),
      stage: last?.stage ?? null,
      text: last ? shortened(last.text) : null,
    }
  },
  retired: (publish: string | null): Details => ({ publish: publish ?? 'nothing' }),
  test: ({ outcome, reason }: { readonly outcome: string; readonly reason: string | null }): Details => ({
    outcome,
    reason,
  }),
}

/** Only the values that differ. */
export function difference(before: Details, after: Details) {
  const names = Object.keys(after).filter((name) => before[name] !== after[name])
  const only = (all: Details): Details => Object.fromEntries(names.map((name) => [name, all[name] ?? null]))
  return { before: only(before), after: only(after) }
}

interface Written {
  readonly components: readonly string[]
  readonly byHand: { readonly title: string; readonly level: string } | null
  readonly updates: readonly { readonly stage: string; readonly text: string }[]
}

/** Max different refused changes between two saves, so that over a minute of a flood is kept. */
const maxRefused = 100

/**
 * Records that no response waits for, saved once a second: of tests and of changes that were refused for their address.
 * Repetitions become one record with a count. Beyond `maxRefused` different ones, so do those of all addresses.
 */
export function createAuditQueue({
  store,
  clock,
}: {
  readonly store: Pick<StateStore, 'save'>
  readonly clock: Clock
}) {
  let waiting = new Map<string, ChangeRecord>()
  const saving = createSemaphore({ max: 1 })

  const add = (record: ChangeRecord): void => {
    const { action, outcome, address, target } = record
    const key = JSON.stringify([action, outcome, address, target])
    const same = waiting.get(key)
    if (same) waiting.set(key, { ...same, count: same.count + record.count })
    else if (waiting.size < maxRefused || outcome === 'success' || address === null) waiting.set(key, record)
    else add({ ...record, address: null, target: null })
  }

  return {
    made: (by: Sent, change: Change): void => add(recordOf(by, clock.now(), change)),
    refused(by: Sent & Pick<Call, 'params'>, action: ChangeAction, message: string): void {
      const [named = ''] = Object.values(by.params)
      const target = isComponentId(named) ? named : null
      const record = recordOf(by, clock.now(), { action, target, after: null })
      add({ ...record, outcome: `refused: ${message}` })
    },
    /** Keeps what cannot be saved now. */
    save: () =>
      saving.run(async () => {
        if (waiting.size === 0) return
        const audited = [...waiting.values()]
        waiting = new Map()
        await store.save({ components: [], opened: [], resolved: [], moved: [], audited }).catch(() => {
          const newer = [...waiting.values()]
          waiting = new Map()
          for (const each of [...audited, ...newer]) add(each)
        })
      }),
  }
}

export type AuditQueue = ReturnType<typeof createAuditQueue>
