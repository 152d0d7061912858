import { MenagerieError } from '../../../client/src/client.ts'

/** What the service said, word for word. */
export function textOf(error: unknown): string {
  if (error instanceof MenagerieError)
    return error.status === 0 ? `The service cannot be reached (${error.text}).` : error.text
  return error instanceof Error ? error.message : String(error)
}

export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: (() => void) | undefined }) {
  const { requestId: id, retryAfterMs = 0 } = error instanceof MenagerieError ? error : {}
  return (
    <div className="failure" role="alert">
      <p>{textOf(error)}</p>
      {retryAfterMs > 0 && <p className="note">Possible again in {Math.ceil(retryAfterMs / 1_000)} s.</p>}
      {id !== undefined && <p className="note">Request {id}</p>}
      {onRetry && (
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}
