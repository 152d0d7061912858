import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { Toasts } from './parts/toasts.tsx'
import { router } from './routes.tsx'
import { sessions, useSessionOrNull } from './session/session.ts'
import { SignIn } from './session/sign-in.tsx'
import { useUploads } from './uploads/store.ts'

const Uploads = lazy(async () => ({ default: (await import('./uploads/uploads.tsx')).Uploads }))

const onError = sessions.endIfRefused

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
  const hasUploads = useUploads().list.length > 0
  const userId = session?.user.id
  // Nothing that one user has read is shown to the next.
  useEffect(() => () => (userId === undefined ? undefined : queryClient.clear()), [userId])
  return (
    <QueryClientProvider client={queryClient}>
      {session ? <RouterProvider router={router} /> : <SignIn reason={sessions.reason} />}
      <div className="corner">
        <Toasts />
        {hasUploads && (
          <Suspense>
            <Uploads />
          </Suspense>
        )}
      </div>
    </QueryClientProvider>
  )
}
