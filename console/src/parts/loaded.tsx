import { type UseQueryResult, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failure } from './failure.tsx'

interface Props<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'isFetching' | 'isPlaceholderData'>
  /** What is being loaded, such as `users`. */
  readonly name: string
  readonly isEmpty?: (data: T) => boolean
  readonly empty?: ReactNode
  readonly children: (data: T) => ReactNode
}

/** The states of a list: loading, failed, empty, there. A failure to refresh it does not hide what was read before. */
export function Loaded<T>({ query, name, isEmpty, empty, children }: Props<T>) {
  const queries = useQueryClient()
  const { data, error, isFetching, isPlaceholderData } = query
  // Everything on the page that failed, most likely for the same reason.
  const retry = () => queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
  const failure = error && <Failure error={error} onRetry={() => void retry()} />
  if (data === undefined)
    return failure && !isFetching ? (
      failure
    ) : (
      <p className="loading" role="status">
        Loading {name}…
      </p>
    )
  return (
    <>
      {failure}
      <div className="loaded" aria-busy={isPlaceholderData}>
        {isEmpty?.(data) ? <p className="empty">{empty ?? `No ${name}.`}</p> : children(data)}
      </div>
    </>
  )
}
