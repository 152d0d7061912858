import type { Component, Incident } from './component.ts'
import type { Status } from './statuses.ts'

export interface Transition {
  readonly at: number
  readonly from: Status | null
  readonly to: Status
  readonly cause: 'heartbeat' | 'silence'
}

export interface KnownIncident extends Incident {
  readonly componentId: string
  /** Null while it is open. */
  readonly resolvedAt: number | null
}

/** What has come to be since the last save. */
export interface Changes {
  /** As they are now, whether they were known or not. */
  readonly components: readonly Component[]
  readonly opened: readonly { readonly componentId: string; readonly incident: Incident }[]
  readonly resolved: readonly { readonly incidentId: string; readonly at: number }[]
  readonly moved: readonly { readonly componentId: string; readonly transition: Transition }[]
}

export interface StateMeta {
  /** One for all time: it tells pushes of this worker's from those of another. */
  readonly source: string
  /** The highest one of a component that was retired before this was opened. */
  readonly retiredSequence: number
}

/** The worker's memory. One process has it at a time. */
export interface StateStore extends StateMeta {
  /** False where another process may have it by now. */
  isOurs(): boolean
  /** Every component as it was last saved. */
  load(): Promise<readonly Component[]>
  /** All of it or nothing; on the disk when this resolves. */
  save(changes: Changes): Promise<void>
  /** Forgets the component and its history; an open incident is resolved at that time. False if it is not there. */
  retire(componentId: string, at: number, sequence: number): Promise<boolean>
  /** Newest first, `most` at most. */
  incidents(which: {
    readonly componentId: string | null
    readonly isOpen: boolean | null
    readonly most: number
  }): Promise<readonly KnownIncident[]>
  /** The last first, `most` at most. */
  transitions(componentId: string, most: number): Promise<readonly Transition[]>
  /** Drops resolved incidents and transitions that are older. */
  forget(before: number): Promise<void>
  close(): Promise<void>
}

/** Where the state is kept, and who may have it. */
export interface StateKeeper {
  /**
   * Resolves when this process is the one that has the state. Embedded it rejects with a BadSetting where another one
   * has it; on a shared database it waits until that one is gone, within 10 s. Rejects with the signal's reason.
   */
  acquire(signal: AbortSignal, onLost: (reason: Error) => void): Promise<StateStore>
  close(): Promise<void>
}
