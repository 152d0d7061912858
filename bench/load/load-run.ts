import type { Gate } from './gates.ts'
import type { Watched } from './samples.ts'

export interface Context {
  /** Emptied at the end. */
  readonly folder: string
  readonly isFull: boolean
  /** Of the full number, divided by the factor, but at least `least`. */
  scaled(full: number, least: number): number
}

export interface Finding {
  readonly gates: readonly Gate[]
  /** What was sent and seen, in a sentence each. */
  readonly notes: readonly string[]
  /** Absent if no single service ran throughout. */
  readonly watched?: Watched
}

export interface LoadRun {
  readonly id: string
  readonly title: string
  run(context: Context): Promise<Finding>
}

/** Thrown by a run whose services are missing. */
export class NotRun extends Error {}
