import { limits } from '../http/limits.ts'

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

export const protocolLimits: readonly LimitRow[] = [
  { what: 'Request line and headers', value: bytes(limits.headBytes), beyond: '431' },
  { what: 'Header lines', value: String(limits.headLines), beyond: '431' },
  { what: 'JSON body, unless the route says otherwise', value: bytes(limits.bodyBytes), beyond: '413' },
  { what: 'Time to send the headers', value: seconds(limits.headMs), beyond: '408, and the connection is closed' },
  { what: 'Time to send a body', value: seconds(limits.bodyMs), beyond: '408' },
  {
    what: 'Time to send a whole request',
    value: seconds(limits.requestMs),
    beyond: '408, and the connection is closed',
  },
  { what: 'Idle connection between two requests', value: seconds(limits.idleMs), beyond: 'the connection is closed' },
  { what: 'Time to finish requests at a stop', value: seconds(limits.drainMs), beyond: 'the connection is closed' },
  { what: 'Answer that the client does not take', value: seconds(limits.stallMs), beyond: 'the connection is closed' },
]
