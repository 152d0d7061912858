/** How long each phase of a request may take; slow but moving is allowed. */
export const s3Times = {
  /** For a place among the sockets. */
  waitMs: 5_000,
  /** An upload's: with it, and its own time, it still ends within what a request may take. */
  writeWaitMs: 60_000,
  connectMs: 2_000,
  /** From the end of the request to the first byte of the answer. */
  firstByteMs: 5_000,
  /** The same for the probe of a store that was away: with the pause before it, it must fit in five seconds. */
  probeFirstByteMs: 3_000,
  /** Without a byte in a body, of the request or of the answer. */
  idleMs: 15_000,
  /** How long requests fail at once after the store could not be reached. */
  awayMs: 1_000,
  /** How long a reader may take nothing before its socket goes to others who wait for one. */
  restMs: 100,
  retryBaseMs: 50,
}

export type S3Times = Readonly<typeof s3Times>
