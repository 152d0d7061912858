import { useEffect, useId, useState } from 'react'
import { MenagerieError } from '../../../client/src/client.ts'

/** What the service says to programs, for people. */
const sentences: Readonly<Record<string, string>> = {
  'Invalid or revoked access token': 'Your sign-in has ended. Sign in again to go on.',
  'Access token is required': 'Sign in first.',
  'You do not have permission to access this resource': 'Your role does not allow this.',
  'Too many requests from this IP, please try again later.': 'Too many requests came from your address.',
  'Service is temporarily unavailable, please try again': 'The service cannot do this at the moment.',
  'User is banned': 'This account is banned. An administrator of this service can say why.',
  'Content-Type must be an image/* mime type': 'This is not an image.',
  'until must be an ISO 8601 timestamp in the future': 'The end must be in the future.',
  'until must be an ISO 8601 timestamp with a time zone, at most 31 days from now':
    'The end must be in the future, and at most 31 days from now.',
  'until must be after from, and in the future': 'The end must be after the start, and in the future.',
  'until must be after from, in the future, and at most 31 days after from':
    'The end must be after the start, in the future, and at most 31 days after the start.',
  'Internal Server Error': 'Something went wrong in the service. Its log has the cause, under the number below.',
}

/** Fields of the API, as the forms name them. */
const fields: Readonly<Record<string, string>> = {
  components: 'Components',
  reason: 'The reason',
  schedule: 'The schedule',
  text: 'The text',
  title: 'The title',
  tz: 'The time zone',
}

const inWords = (text: string): string => text.replace(/^\w+(?= must )/, (name) => fields[name] ?? name)

/** What the service says of an error, by which a form finds the field that it is about. */
export const saidOf = (error: unknown): string => (error instanceof MenagerieError ? error.text : textOf(error))

/** The service's message, as it is where it was written for people. */
export function textOf(error: unknown): string {
  if (error instanceof MenagerieError)
    return error.status === 0
      ? `The service cannot be reached (${error.text}).`
      : (sentences[error.text] ?? inWords(error.text))
  return error instanceof Error ? error.message : String(error)
}

interface Props {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
  readonly isRetrying?: boolean
}

export function Failure({ error, onRetry, isRetrying = false }: Props) {
  const { requestId: id, retryAfterMs = 0, status, text: said } = error instanceof MenagerieError ? error : {}
  const ownId = useId()
  return (
    <div className="failure" role="alert" id={ownId}>
      <p>{textOf(error)}</p>
      {retryAfterMs > 0 && <RetryAfter key={id} ms={retryAfterMs} />}
      {id !== undefined && (
        <details className="note">
          <summary>Details</summary>
          <p>{said === textOf(error) ? `HTTP ${status}` : `HTTP ${status}: ${said}`}</p>
          <p>Request {id}</p>
        </details>
      )}
      {onRetry && (
        <button type="button" className="button" onClick={onRetry}>
          {isRetrying ? 'Trying again…' : 'Try again'}
        </button>
      )}
    </div>
  )
}

function RetryAfter({ ms }: { readonly ms: number }) {
  const [leftMs, setLeftMs] = useState(ms)
  useEffect(() => {
    const end = performance.now() + ms
    const timer = setInterval(() => setLeftMs(Math.max(0, end - performance.now())), 1_000)
    return () => clearInterval(timer)
  }, [ms])
  // Screen readers must not announce it every second.
  return (
    <p className="note" aria-live="off">
      {leftMs > 0 ? `Possible again in ${Math.ceil(leftMs / 1_000)} s.` : 'Possible again now.'}
    </p>
  )
}
