import { useEffect, useId, useState } from 'react'
import { MenagerieError } from '../../../client/src/client.ts'
import { sentenceOf } from './sentences.ts'

/** What the service says of an error, by which a form finds the field that it is about. */
export const saidOf = (error: unknown): string => (error instanceof MenagerieError ? error.text : textOf(error))

/** The service's message, as it is where it was written for people. */
export function textOf(error: unknown): string {
  if (error instanceof MenagerieError)
    return error.status === 0 ? 'The service cannot be reached.' : sentenceOf(error.text)
  return error instanceof Error ? error.message : String(error)
}

/** For a message without details: of what only the log explains, with the number to find it by. */
export function textWithRequest(error: unknown): string {
  const id = error instanceof MenagerieError && error.status >= 500 ? error.requestId : undefined
  return id === undefined ? textOf(error) : `${textOf(error)} Request ${id}.`
}

/** What the service said to programs, and what to find it by in its log. */
export function Details({ error }: { readonly error: unknown }) {
  if (!(error instanceof MenagerieError) || error.requestId === undefined) return null
  const { status, text, requestId } = error
  return (
    <details className="note">
      <summary>Details</summary>
      <p>{text === textOf(error) ? `HTTP ${status}` : `HTTP ${status}: ${text}`}</p>
      <p>Request {requestId}</p>
    </details>
  )
}

interface Props {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
  readonly isRetrying?: boolean
}

export function Failure({ error, onRetry, isRetrying = false }: Props) {
  const { requestId: id, retryAfterMs = 0, status } = error instanceof MenagerieError ? error : {}
  const ownId = useId()
  return (
    <div className="failure" role="alert" id={ownId}>
      <p>{textOf(error)}</p>
      {retryAfterMs > 0 && <RetryAfter key={id} ms={retryAfterMs} isLimit={status === 429} />}
      <Details error={error} />
      {onRetry && status !== 403 && (
        <button type="button" className="button" onClick={onRetry}>
          {isRetrying ? 'Trying again…' : 'Try again'}
        </button>
      )}
    </div>
  )
}

/** Rounded up, so that it is true. */
const leftText = (ms: number): string =>
  ms < 90_000 ? `${Math.ceil(ms / 1_000)} s` : `${Math.ceil(ms / 60_000)} minutes`

/** Once a limit is over, it is possible again; what is away may still be. */
function RetryAfter({ ms, isLimit }: { readonly ms: number; readonly isLimit: boolean }) {
  const [leftMs, setLeftMs] = useState(ms)
  useEffect(() => {
    const end = performance.now() + ms
    const timer = setInterval(() => setLeftMs(Math.max(0, end - performance.now())), 1_000)
    return () => clearInterval(timer)
  }, [ms])
  if (leftMs === 0 && !isLimit) return null
  // Screen readers must not announce it every second.
  return (
    <p className="note" aria-live="off">
      {leftMs > 0 ? `You can try again in ${leftText(leftMs)}.` : 'You can try again now.'}
    </p>
  )
}
