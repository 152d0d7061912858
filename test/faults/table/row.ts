/** A fault, what the service promises while it lasts, and the tests that show it. */
export interface Row {
  readonly id: string
  readonly fault: string
  readonly promise: string
  /** Embedded: SQLite, a folder and counters in memory. Cluster: PostgreSQL, Redis and S3. */
  readonly on: readonly ('embedded' | 'cluster')[]
  /** By file: the titles of tests, or how they begin if a number or seed follows. */
  readonly proofs: Readonly<Record<string, readonly string[]>>
  /** What the machine must have, beside Node. */
  readonly needs?: readonly string[]
  /** What of this no test shows, and why. */
  readonly open?: string
}
