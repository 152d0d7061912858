import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { MenagerieError } from '../../../client/src/client.ts'
import { sessions } from './session.ts'

const me = ['me'] as const

const isForbidden = (error: unknown) => error instanceof MenagerieError && error.status === 403

/** The service or a proxy says that it is temporarily unavailable, or does not respond. */
export const isAway = (error: unknown): error is MenagerieError =>
  error instanceof MenagerieError && [0, 429, 502, 503, 504].includes(error.status)

const awayMs = 10_000

export function onRefusal(error: unknown): void {
  sessions.endIfRefused(error)
  // The role may have changed.
  if (isForbidden(error)) readMe()
}

/** For a 401 that may be about the typed password. */
export const readMe = () => void queryClient.invalidateQueries({ queryKey: me }, { cancelRefetch: false })

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, { queryKey }) {
      // The route is open to every role, so the user is banned.
      if (queryKey[0] === me[0] && isForbidden(error)) sessions.endWith(error)
      else onRefusal(error)
    },
  }),
  mutationCache: new MutationCache({ onError: onRefusal }),
  // The client itself retries whatever can be retried at once.
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 5_000,
      networkMode: 'always',
      refetchInterval: ({ state: { error } }) => isAway(error) && awayMs,
    },
    mutations: { networkMode: 'always' },
  },
})
