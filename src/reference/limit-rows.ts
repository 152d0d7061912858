import { bounds } from '../http/bounds.ts'

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

export const seconds = (ms: number): string => `${ms / 1000} s`

export const protocolLimitRows: readonly LimitRow[] = [
  { what: 'Request line and headers', value: bytes(bounds.headBytes), beyond: '431' },
  { what: 'Header lines', value: String(bounds.headLines), beyond: '431' },
  { what: 'JSON body, unless the route says otherwise', value: bytes(bounds.bodyBytes), beyond: '413' },
  { what: 'Time to send the headers', value: seconds(bounds.headMs), beyond: '408, and the connection is closed' },
  { what: 'Time to send a body', value: seconds(bounds.bodyMs), beyond: '408' },
  {
    what: 'Time to send a whole request',
    value: seconds(bounds.requestMs),
    beyond: '408, and the connection is closed',
  },
  { what: 'Idle connection between two requests', value: seconds(bounds.idleMs), beyond: 'the connection is closed' },
  { what: 'Time to finish requests at a stop', value: seconds(bounds.drainMs), beyond: 'the connection is closed' },
  { what: 'Answer that the client does not take', value: seconds(bounds.stallMs), beyond: 'the connection is closed' },
]
