/** What the protocol holds every client to. The server is set by these numbers, and the reference prints them. */
export const bounds = {
  headBytes: 16_384,
  headLines: 100,
  /** Of a JSON body, where the route names no other. */
  bodyBytes: 65_536,
  headMs: 10_000,
  bodyMs: 30_000,
  requestMs: 120_000,
  idleMs: 72_000,
  /** How long a client may leave an answer untaken. */
  stallMs: 60_000,
  /** How long a stop waits for what is under way. */
  drainMs: 10_000,
} as const
