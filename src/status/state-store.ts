import type { ChangeRecord } from './audit.ts'
import type { Component, Effect, Incident } from './component.ts'
import type { Link } from './links.ts'
import type { Published } from './published.ts'
import type { RanRun } from './runs.ts'
import type { UptimeRow } from './uptime.ts'

export type Transition = Omit<Extract<Effect, { readonly kind: 'moved' }>, 'kind'>

/** Rows are numbered in order of insertion; a page ends before the number `before`. */
export interface Page {
  readonly before?: number | null
  readonly limit: number
}

export interface KnownTransition extends Transition {
  readonly number: number
}

export interface KnownIncident extends Incident {
  readonly number: number
  readonly componentId: string
  /** Null while it is open. */
  readonly resolvedAt: number | null
}

/** What changed since the last save. */
export interface Changes {
  readonly components: readonly Component[]
  readonly opened: readonly { readonly componentId: string; readonly incident: Incident }[]
  readonly resolved: readonly { readonly incidentId: string; readonly at: number }[]
  readonly moved: readonly { readonly componentId: string; readonly transition: Transition }[]
  readonly ran?: readonly { readonly componentId: string; readonly run: RanRun }[]
  readonly audited: readonly ChangeRecord[]
}

/** Inclusive. */
export interface UptimeRange {
  /** Component ids. */
  readonly first: string
  readonly last: string
  readonly fromDay: string
  readonly untilDay: string
  /** If false, the days of a component are summed up in one row. */
  readonly isDaily: boolean
}

export interface StateMeta {
  /** Never changes. Distinguishes the pushes of this state from those of another. */
  readonly source: string
  /** The highest sequence among the components that had been retired when the store was opened. */
  readonly retiredSequence: number
}

/** The worker's durable state; only the leader has it open. */
export interface StateStore extends StateMeta {
  /** False if another worker may already be the leader. */
  holdsLease(): boolean
  /** Every component as it was last saved. */
  load(): Promise<readonly Component[]>
  /** All or nothing; durable when this resolves. */
  save(changes: Changes): Promise<void>
  /**
   * Deletes the component with its history, but not its incidents: resolves an open one as of `at`. False if it does not
   * exist.
   */
  retire(componentId: string, at: number, sequence: number, record: ChangeRecord | null): Promise<boolean>
  /** Newest first. */
  incidents(
    which: Page & { readonly componentId: string | null; readonly isOpen: boolean | null },
  ): Promise<readonly KnownIncident[]>
  /** Newest first. */
  transitions(componentId: string, page: Page): Promise<readonly KnownTransition[]>
  /** The runs that are kept, newest first. */
  runs(componentId: string): Promise<readonly RanRun[]>
  /** Adds to the daily sums. */
  addUptime(rows: readonly UptimeRow[]): Promise<void>
  /** Rows by day, or one row per component with its sums, dated the first day. */
  uptime(range: UptimeRange): Promise<readonly UptimeRow[]>
  /** Deletes the sums of earlier days. */
  forgetUptime(beforeDay: string): Promise<void>
  /** Writes the time, which proves that the state can be saved. */
  probe(at: number): Promise<void>
  /** Everything of a kind, as it was last saved. */
  published<Kind extends keyof Published>(kind: Kind): Promise<readonly Published[Kind][]>
  /** Inserts or replaces all of it, together with the record of the change. `forget` deletes it some time after its end. */
  savePublished(
    changed: { readonly [Kind in keyof Published]?: readonly Published[Kind][] },
    record: ChangeRecord | null,
  ): Promise<void>
  /** Deletes what people wrote about an incident, together with the record of it if somebody asked for it. */
  deleteWritten(id: string, record: ChangeRecord | null): Promise<void>
  /** Also deletes those that are no longer valid. */
  addLinks(links: readonly Link[], now: number): Promise<void>
  link(hash: string): Promise<Link | null>
  /** An incident by silence. */
  incident(id: string): Promise<KnownIncident | undefined>
  /** The records saved after this one, oldest first; from the oldest if it is null or no longer kept. */
  audit(after: string | null, limit: number): Promise<readonly ChangeRecord[]>
  /**
   * Deletes older resolved incidents, those that people wrote about, maintenance windows, recurring maintenance that has ended, announcements, records of changes, and transitions, except
   * the newest older transition of each component.
   */
  forget(before: number): Promise<void>
  close(): Promise<void>
}

/** Decides which of several workers may open the state: the leader. */
export interface StateLease {
  /**
   * Resolves once this process is the leader. On SQLite, rejects with a BadSetting if another process is; on a shared
   * database, stands by, and takes over within 10 s of the leader's end. Rejects with the signal's reason if aborted.
   */
  acquire(signal: AbortSignal, onLost: (reason: Error) => void): Promise<StateStore>
  close(): Promise<void>
}
