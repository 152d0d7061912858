/** A dependency (a database, a store) cannot be reached. Rendered as 503, never as 401. */
export class Unavailable extends Error {
  readonly part: string

  constructor(part: string, cause?: unknown) {
    super(`${part} is not reachable`, { cause })
    this.name = 'Unavailable'
    this.part = part
  }
}
