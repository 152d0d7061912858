import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { MenagerieError } from '../../../client/src/client.ts'
import { isPasswordMissing } from './password.ts'
import { sessions } from './session.ts'

const me = ['me'] as const

/** The session may have ended, or the role may have changed. */
const isRefused = (error: unknown): error is MenagerieError =>
  error instanceof MenagerieError && (error.status === 401 || error.status === 403)

/** The service or a proxy says that it is temporarily unavailable, or does not respond. */
export const isAway = (error: unknown): error is MenagerieError =>
  error instanceof MenagerieError && [0, 429, 502, 503, 504].includes(error.status)

const awayMs = 10_000

const maxPatienceMs = 120_000

/** For a list that grows while one scrolls: it goes on by itself once the limits allow, unless that takes too long. */
export const patient = {
  retry: (failures: number, error: Error) =>
    isLimited(error) && failures < 5 && (error.retryAfterMs ?? 0) <= maxPatienceMs,
  retryDelay: (_: number, error: Error) => (isLimited(error) && error.retryAfterMs) || awayMs,
}

const isLimited = (error: unknown): error is MenagerieError => isAway(error) && error.status === 429

/**
 * Asks who is signed in, which ends the session if nobody is. A refusal alone does not: it may be about a typed password,
 * or another tab has signed in again meanwhile.
 */
export async function onRefusal(error: unknown): Promise<void> {
  if (isRefused(error) && !isPasswordMissing(error))
    await queryClient.invalidateQueries({ queryKey: me }, { cancelRefetch: false })
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, { queryKey }) {
      // The route is open to every role: the session has ended, or the user is banned.
      if (queryKey[0] === me[0] && isRefused(error)) sessions.endWith(error)
      else void onRefusal(error)
    },
  }),
  mutationCache: new MutationCache({ onError: (error) => void onRefusal(error) }),
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
