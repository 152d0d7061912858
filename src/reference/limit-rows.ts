import { bounds } from '../http/bounds.ts'

/** One row of the chapter Limits. */
export interface LimitRow {
  readonly what: string
  readonly value: string
  /** What happens beyond it. */
  readonly beyond: string
  /** The Markdown tells it in the chapter Limits alone. */
  readonly isEverywhere?: true
}

export const bytes = (count: number): string =>
  count >= 1_048_576 && count % 1_048_576 === 0
    ? `${count / 1_048_576} MiB`
    : count >= 1024 && count % 1024 === 0
      ? `${count / 1024} KiB`
      : `${count} bytes`

/** As Markdown; empty if there are no limits. */
export const limitList = (limits: readonly LimitRow[]): string[] =>
  limits.length > 0 ? [['Limits:', '', ...limits.map(({ what, value }) => `- ${what}: ${value}`)].join('\n')] : []

export const seconds = (ms: number): string => `${ms / 1000} s`

export const protocolLimitRows: readonly LimitRow[] = [
  { what: 'Request line and headers', value: bytes(bounds.headBytes), beyond: '431' },
  { what: 'Number of headers', value: String(bounds.headLines), beyond: '431' },
  { what: 'JSON body, unless the route says otherwise', value: bytes(bounds.bodyBytes), beyond: '413' },
  { what: 'Time to receive the headers', value: seconds(bounds.headMs), beyond: '408, and the connection is closed' },
  { what: 'Time to receive a body', value: seconds(bounds.bodyMs), beyond: '408' },
  {
    what: 'Time to receive a whole request',
    value: seconds(bounds.requestMs),
    beyond: '408, and the connection is closed',
  },
  { what: 'Idle time between two requests', value: seconds(bounds.idleMs), beyond: 'the connection is closed' },
  { what: 'Time to finish requests at shutdown', value: seconds(bounds.drainMs), beyond: 'the connection is closed' },
  {
    what: 'Time without the client reading a pending response',
    value: seconds(bounds.stallMs),
    beyond: 'the connection is closed',
  },
]
