import { type UseQueryResult, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { serverNow } from '../session/server-clock.ts'
import { Failure } from './failure.tsx'
import { Time } from './time.tsx'

interface Props<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'dataUpdatedAt' | 'error' | 'isFetching' | 'isPlaceholderData'>
  /** What is being loaded, such as `users`. */
  readonly name: string
  readonly isEmpty?: (data: T) => boolean
  readonly empty?: ReactNode
  readonly children: (data: T) => ReactNode
}

/** The states of a list: loading, failed, empty, loaded. A failed refresh does not hide what was read before. */
export function Loaded<T>({ query, name, isEmpty, empty, children }: Props<T>) {
  const queries = useQueryClient()
  const { data, dataUpdatedAt, error, isFetching, isPlaceholderData } = query
  // Shown until the next attempt has ended, not only between attempts.
  const lastError = useRef<unknown>(null)
  if (!isFetching) lastError.current = error
  // Retries everything on the page that failed, most likely for the same reason.
  const retry = () => queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
  const failure = lastError.current !== null && (
    <Failure error={lastError.current} onRetry={() => void retry()} isRetrying={isFetching} />
  )
  if (data === undefined) return failure || <Loading name={name} />
  return (
    <>
      {failure}
      {failure && (
        <p className="note">
          Below is what was read <Time at={new Date(serverNow() - Date.now() + dataUpdatedAt).toISOString()} />.
        </p>
      )}
      <div className="loaded" aria-busy={isPlaceholderData}>
        {isEmpty?.(data) ? <p className="empty">{empty ?? `No ${name}.`}</p> : children(data)}
      </div>
    </>
  )
}

const slowMs = 5_000

function Loading({ name }: { readonly name: string }) {
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(setIsSlow, slowMs, true)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p className="loading" role="status">
      Loading {name}…{isSlow && ' The service is slow to reply.'}
    </p>
  )
}
