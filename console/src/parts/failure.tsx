import { useEffect, useState } from 'react'
import { MenagerieError } from '../../../client/src/client.ts'

/** The service's message, verbatim. */
export function textOf(error: unknown): string {
  if (error instanceof MenagerieError)
    return error.status === 0 ? `The service cannot be reached (${error.text}).` : error.text
  return error instanceof Error ? error.message : String(error)
}

interface Props {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
  readonly isRetrying?: boolean
}

export function Failure({ error, onRetry, isRetrying = false }: Props) {
  const { requestId: id, retryAfterMs = 0 } = error instanceof MenagerieError ? error : {}
  return (
    <div className="failure" role="alert">
      <p>{textOf(error)}</p>
      {retryAfterMs > 0 && <RetryAfter key={id} ms={retryAfterMs} />}
      {id !== undefined && <p className="note">Request {id}</p>}
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
