/** Size and time limits for every client. */
export const bounds = {
  headBytes: 16_384,
  headLines: 100,
  /** For a JSON body, unless the route sets its own. */
  bodyBytes: 65_536,
  headMs: 10_000,
  bodyMs: 30_000,
  requestMs: 120_000,
  idleMs: 72_000,
  /** How long a client may stop reading a response. */
  stallMs: 60_000,
  /** How long a shutdown waits for requests in progress. */
  drainMs: 10_000,
} as const
