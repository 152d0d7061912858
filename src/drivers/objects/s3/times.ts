/** Timeouts for each phase of a request; slow progress is allowed. */
export const s3Times = {
  /** Waiting for a free connection. */
  waitMs: 5_000,
  /** The same for an upload; together with the upload itself, it fits the timeout of the request. */
  writeWaitMs: 60_000,
  connectMs: 2_000,
  /** From the end of the request to the first byte of the response. */
  firstByteMs: 5_000,
  /** The same for a probe of the circuit breaker: with the pause before it, recovery takes at most five seconds. */
  probeFirstByteMs: 3_000,
  /** Between two bytes of a request's or response's body. */
  idleMs: 15_000,
  /** How long the circuit breaker stays open. */
  breakerOpenMs: 1_000,
  /** How long a consumer may pause before it loses its socket to others who need one. */
  restMs: 100,
  retryBaseMs: 50,
}

export type S3Times = Readonly<typeof s3Times>
