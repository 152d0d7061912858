import { useEffect, useId, useState } from 'react'
import { MenagerieError } from '../../../client/src/client.ts'

/** What the service says to programs, for people. */
const sentences: Readonly<Record<string, string>> = {
  'Invalid or revoked access token': 'Your sign-in has ended. Sign in again to go on.',
  'Access token is required': 'Sign in first.',
  'You do not have permission to access this resource': 'Your role does not allow this.',
  'Too many requests from this IP, please try again later.': 'Too many requests came from your address.',
  'Service is temporarily unavailable, please try again': 'The service cannot do this at the moment.',
  'Internal Server Error': 'Something went wrong in the service. Its log has the cause, under the number below.',
}

/** The service's message, as it is where it was written for people. */
export function textOf(error: unknown): string {
  if (error instanceof MenagerieError)
    return error.status === 0 ? `The service cannot be reached (${error.text}).` : (sentences[error.text] ?? error.text)
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
