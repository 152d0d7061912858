import type { Clock } from '../lib/clock.ts'
import { dayMs, dayOf } from '../lib/timestamps.ts'
import type { Logger } from '../process/logger.ts'
import type { Component } from './component.ts'
import type { StateStore } from './state-store.ts'
import { type UptimeState, uptimeStates } from './statuses.ts'

/** In milliseconds. */
export type Times = Readonly<Record<UptimeState, number>>

/** How many heartbeats said how long the component took to respond, and how long in all, in milliseconds. */
export interface Responses {
  readonly responses: number
  readonly responding: number
}

/** How long a component was in each state on a UTC day, and how long it took to respond. */
export interface UptimeRow extends Times, Responses {
  readonly componentId: string
  readonly day: string
}

const upStates: readonly UptimeState[] = ['operational', 'degraded']
const downStates: readonly UptimeState[] = ['partial', 'outage', 'silent']
const maxRowsPerWrite = 1_000

const mapped = (timeOf: (state: UptimeState) => number): Times =>
  Object.fromEntries(uptimeStates.map((state) => [state, timeOf(state)])) as Times
export const noTimes = mapped(() => 0)
export const noResponses: Responses = { responses: 0, responding: 0 }

export const sumOfTimes = (all: readonly Times[]): Times =>
  mapped((state) => all.reduce((sum, times) => sum + times[state], 0))

export const sumOfResponses = (all: readonly Responses[]): Responses => ({
  responses: all.reduce((sum, each) => sum + each.responses, 0),
  responding: all.reduce((sum, each) => sum + each.responding, 0),
})

/** The mean, to a tenth of a millisecond; null without a response. */
export const meanOf = ({ responses, responding }: Responses): number | null =>
  responses === 0 ? null : Math.round((responding / responses) * 10) / 10

/** Maintenance counts as neither, and so does time without a leader. */
export function upAndDown(times: Times): readonly [up: number, down: number] {
  const sumOf = (states: readonly UptimeState[]) => states.reduce((sum, state) => sum + times[state], 0)
  return [sumOf(upStates), sumOf(downStates)]
}

/** The share of up in up and down. */
export function uptimePercent(times: Times): number | null {
  const [up, down] = upAndDown(times)
  return up + down === 0 ? null : Math.round((up / (up + down)) * 100_000) / 1_000
}

const stateOf = ({ maintenanceId, incident, lastReportedStatus }: Component): UptimeState =>
  maintenanceId !== null ? 'maintenance' : incident ? 'silent' : lastReportedStatus

interface UptimeDeps {
  readonly store: Pick<StateStore, 'addUptime'>
  readonly clock: Clock
  readonly log: Pick<Logger, 'error'>
}

export type Uptime = ReturnType<typeof createUptime>

/** Adds up how long each component is in each state, on the monotonic clock, and its responses; saves sums by day. */
export function createUptime({ store, clock, log }: UptimeDeps) {
  /** The state of each component, and the time up to which it has been added up. */
  const current = new Map<string, { readonly state: UptimeState; readonly since: number }>()
  /** Sums not saved yet. */
  let pending = new Map<string, UptimeRow>()
  let writing: Promise<void> | null = null
  let hasFailed = false

  const add = (row: UptimeRow) => {
    const key = `${row.componentId} ${row.day}`
    const all = [row, pending.get(key) ?? { ...noTimes, ...noResponses }]
    pending.set(key, { ...row, ...sumOfTimes(all), ...sumOfResponses(all) })
  }

  /** Adds up until `at`, split at midnight UTC. */
  const settle = (componentId: string, at: number) => {
    const known = current.get(componentId)
    if (known === undefined || at <= known.since) return
    current.set(componentId, { ...known, since: at })
    let end = clock.now() - (clock.monotonic() - at)
    for (let left = at - known.since; left > 0; ) {
      const day = Math.ceil(end / dayMs) - 1
      const ms = Math.min(left, end - day * dayMs)
      add({ componentId, day: dayOf(day * dayMs), ...noTimes, ...noResponses, [known.state]: ms })
      left -= ms
      end -= ms
    }
  }
  const settleAll = () => {
    const at = clock.monotonic()
    for (const id of current.keys()) settle(id, at)
  }

  const write = async (): Promise<void> => {
    settleAll()
    const rows = [...pending.values()].map((row) => ({
      ...row,
      ...mapped((state) => Math.round(row[state])),
      responding: Math.round(row.responding),
    }))
    pending = new Map()
    for (let from = 0; from < rows.length; from += maxRowsPerWrite) {
      const some = rows.slice(from, from + maxRowsPerWrite)
      try {
        await store.addUptime(some)
        hasFailed = false
      } catch (error) {
        for (const row of rows.slice(from)) add(row)
        if (!hasFailed) log.error({ err: error }, 'the daily sums could not be saved; retrying every minute')
        hasFailed = true
        return
      }
    }
  }

  return {
    /** Call this after every change of a component. A silence counts from the missed deadline. */
    observe(component: Component): void {
      const { id, incident } = component
      const before = current.get(id)
      const state = stateOf(component)
      const now = clock.monotonic()
      if (before?.state === state) return
      const lateMs = state === 'silent' && incident ? Math.max(0, clock.now() - incident.startedAt) : 0
      const at = Math.max(before?.since ?? now, now - lateMs)
      settle(id, at)
      current.set(id, { state, since: at })
    },
    /** Call this after a heartbeat that says how long the component took to respond. */
    responded(componentId: string, durationMs: number): void {
      add({ componentId, day: dayOf(clock.now()), ...noTimes, responses: 1, responding: durationMs })
    },
    /** Call this after the worker was suspended: that time counts for no state. */
    skip(ms: number): void {
      const now = clock.monotonic()
      for (const [id, { state, since }] of current) current.set(id, { state, since: Math.min(now, since + ms) })
    },
    async flush(): Promise<void> {
      writing ??= write().finally(() => {
        writing = null
      })
      await writing
    },
    /** Waits until no write is in flight, then returns what has not been saved. */
    async unsaved(): Promise<readonly UptimeRow[]> {
      await writing
      settleAll()
      return [...pending.values()]
    },
    /** Resolves once no write of the component is in flight. */
    async forget(componentId: string): Promise<void> {
      current.delete(componentId)
      for (const [key, row] of pending) if (row.componentId === componentId) pending.delete(key)
      await writing
      for (const [key, row] of pending) if (row.componentId === componentId) pending.delete(key)
    },
  }
}
