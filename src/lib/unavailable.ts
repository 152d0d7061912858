/** A dependency (a database, a store) cannot be reached. Rendered as 503, never as 401. */
export class Unavailable extends Error {
  readonly part: string

  constructor(part: string, cause?: unknown) {
    super(`${part} is not reachable`, { cause })
    this.name = 'Unavailable'
    this.part = part
  }
}

/** A dependency is there, but did not finish in time what it was asked for. Rendered as 503; no outage. */
export class TooSlow extends Error {
  constructor(part: string, cause?: unknown) {
    super(`${part} took too long`, { cause })
    this.name = 'TooSlow'
  }
}
