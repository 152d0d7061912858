import { dayMs, utcText } from '../lib/timestamps.ts'
import type { Component, Moment, Rules } from './component.ts'
import type { Schedule } from './schedule.ts'
import { maxRuns } from './statuses.ts'

export const maxBodyBytes = 10_240
const defaultMaxRunMs = dayMs

/** A run that has started and not ended. */
export interface OpenRun {
  readonly id: string
  /** The sender's name for it. */
  readonly rid: string | null
  readonly startedAt: number
  /** Whether it started while another one was running. */
  readonly overlaps: boolean
  /** When it counts as lost, on the monotonic clock. */
  readonly deadline: number
}

export const runOutcomes = ['running', 'succeeded', 'failed', 'lost'] as const

export interface Run extends Omit<OpenRun, 'startedAt' | 'deadline'> {
  /** Null if only its end was reported. */
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** `lost`: it did not end in time. */
  readonly outcome: (typeof runOutcomes)[number]
  /** Null also if it failed without one. */
  readonly exitCode: number | null
}

/** A run as it is saved. A body of null leaves the one that was sent before. */
export type RanRun = Run & { readonly body: string | null }

export interface RunStart {
  readonly rid: string | null
  readonly body: string | null
}

export interface RunEnd extends RunStart {
  /** Null: it failed without one. */
  readonly exitCode: number | null
}

type RunsOf = Pick<Component, 'runs' | 'lastRun'>

export const noRuns: RunsOf = { runs: [], lastRun: null }

export const maxRunMs = ({ maxRunMs }: Schedule) => maxRunMs ?? defaultMaxRunMs

/** Whichever comes first of the open runs; null if there are none. */
export const runDeadline = ({ runs }: Pick<Component, 'runs'>): number | null =>
  runs.length === 0 ? null : Math.min(...runs.map(({ deadline }) => deadline))

/** The runs after a start, and what has to be saved. A start that is repeated with its run id changes nothing. */
export function begun({ runs, schedule }: Component, { rid, body }: RunStart, now: Moment, rules: Rules) {
  if (rid !== null && runs.some((each) => each.rid === rid)) return { runs, ran: [] }
  const run = { id: rules.newId(), rid, startedAt: now.wall, overlaps: runs.length > 0 }
  const open = { ...run, deadline: now.monotonic + maxRunMs(schedule) }
  const ran: RanRun[] = [{ ...run, endedAt: null, outcome: 'running', exitCode: null, body }]
  const all = [...runs, open]
  return { runs: all.slice(-maxRuns), ran: [...ran, ...all.slice(0, -maxRuns).map(lost)] }
}

/**
 * The runs after an end, and what has to be saved. It ends the newest run with its id, or the newest one without an id;
 * or the last one, if that was lost. Otherwise it ends a run whose start was not reported, unless it repeats the last end.
 */
export function ended({ runs, lastRun }: RunsOf, end: RunEnd, now: Moment, rules: Rules) {
  const { rid, exitCode, body } = end
  const outcome = exitCode === 0 ? 'succeeded' : 'failed'
  const last = lastRun?.rid === rid ? lastRun : null
  const open = runs.findLast((each) => each.rid === rid)
  const isRepeated = !open && rid !== null && last?.outcome === outcome && last.exitCode === exitCode
  if (isRepeated) return { runs, lastRun, ran: [] }
  const known = open ?? (last?.outcome === 'lost' ? last : { id: rules.newId(), startedAt: null, overlaps: false })
  const { id, startedAt, overlaps } = known
  const run: Run = { id, rid, startedAt, overlaps, endedAt: now.wall, outcome, exitCode }
  return { runs: runs.filter((each) => each !== open), lastRun: run, ran: [{ ...run, body }] }
}

/** The runs that did not end in time, and the others; what the incident says of them. */
export function overdue({ runs, schedule }: Component, now: Moment) {
  const late = runs.filter(({ deadline }) => deadline <= now.monotonic)
  const [first] = late
  if (first === undefined) return null
  const ran = late.map(lost)
  const { body: _, ...lastRun } = ran.at(-1) as RanRun
  const message = `The run of ${utcText(first.startedAt)} did not end within ${maxRunMs(schedule) / 1000} s`
  return { runs: runs.filter((each) => !late.includes(each)), lastRun, ran, message }
}

const lost = ({ deadline: _, ...run }: OpenRun): RanRun => ({
  ...run,
  endedAt: null,
  outcome: 'lost',
  exitCode: null,
  body: null,
})

/** On a new monotonic clock, or after a pause: each run is waited for `graceMs` at least. */
export function resumed(component: Component, now: Moment, graceMs: number): Component {
  if (component.runs.length === 0) return component
  const leftMs = ({ startedAt }: OpenRun) => maxRunMs(component.schedule) - Math.max(0, now.wall - startedAt)
  const runs = component.runs.map((run) => ({ ...run, deadline: now.monotonic + Math.max(leftMs(run), graceMs) }))
  return { ...component, runs, deadline: runDeadline({ runs }) ?? component.deadline }
}
