import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect } from 'react'
import { MenagerieError } from '../../client/src/client.ts'
import { Toasts } from './parts/toasts.tsx'
import { router } from './routes.tsx'
import { sessions, useSessionOrNull } from './session/session.ts'
import { SignIn } from './session/sign-in.tsx'

/** A refused token ends the session; the hash of the page stays, so that signing in leads back to it. */
function onError(error: unknown): void {
  if (error instanceof MenagerieError && error.status === 401) sessions.end(`You have been signed out: ${error.text}`)
}

const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  // The client itself retries what can be retried.
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
})

export function Console() {
  const session = useSessionOrNull()
  const userId = session?.user.id
  // Nothing that one user has read is shown to the next.
  useEffect(() => () => (userId === undefined ? undefined : queryClient.clear()), [userId])
  return (
    <QueryClientProvider client={queryClient}>
      {session ? <RouterProvider router={router} /> : <SignIn reason={sessions.reason} />}
      <Toasts />
    </QueryClientProvider>
  )
}
