import { defaultBodyLimitBytes } from '../route.ts'

/** One number that the service holds its clients to. */
export interface LimitRow {
  readonly what: string
  readonly value: string
  /** What happens beyond it. */
  readonly beyond: string
}

export const bytes = (count: number): string =>
  count >= 1_048_576 && count % 1_048_576 === 0
    ? `${count / 1_048_576} MiB`
    : count >= 1024 && count % 1024 === 0
      ? `${count / 1024} KiB`
      : `${count} bytes`

/** What listen.ts, service.ts and answering.ts do with every request; a test holds these numbers against theirs. */
export const protocolLimits: readonly LimitRow[] = [
  { what: 'Request line and headers', value: bytes(16_384), beyond: '431' },
  { what: 'Header lines', value: '100', beyond: '431' },
  { what: 'JSON body, unless the route says otherwise', value: bytes(defaultBodyLimitBytes), beyond: '413' },
  { what: 'Time to send the headers', value: '10 s', beyond: '408, and the connection is closed' },
  { what: 'Time to send a body', value: '30 s', beyond: '408' },
  { what: 'Time to send a whole request', value: '120 s', beyond: '408, and the connection is closed' },
  { what: 'Idle connection between two requests', value: '72 s', beyond: 'the connection is closed' },
  { what: 'Answer that the client does not take', value: '60 s', beyond: 'the connection is closed' },
]
