import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { forgetSecrets } from './parts/secrets.tsx'
import { hideToasts, Toasts } from './parts/toasts.tsx'
import { dropDraftsOfOthers } from './parts/use-form.tsx'
import { router } from './routes.tsx'
import { FirstOwner, isOwnerMissing } from './session/first-owner.tsx'
import { queryClient } from './session/queries.ts'
import { sessions, useSessionOrNull } from './session/session.ts'
import { SignIn } from './session/sign-in.tsx'
import { useUploads } from './uploads/store.ts'

const Register = lazy(async () => ({ default: (await import('./session/register.tsx')).Register }))
const Uploads = lazy(async () => ({ default: (await import('./uploads/uploads.tsx')).Uploads }))

/** Nothing that one user has read may be shown to the next. */
function forget(): void {
  queryClient.clear()
  hideToasts()
  forgetSecrets()
}

function SignedOut() {
  const [createsOwner, setCreatesOwner] = useState(isOwnerMissing)
  const [registers, setRegisters] = useState(false)
  if (createsOwner) return <FirstOwner onLeave={() => setCreatesOwner(false)} />
  if (!registers) return <SignIn reason={sessions.reason} onRegister={() => setRegisters(true)} />
  return (
    <Suspense>
      <Register onLeave={() => setRegisters(false)} />
    </Suspense>
  )
}

export function Console() {
  const session = useSessionOrNull()
  const hasUploads = useUploads().list.length > 0
  const userId = session?.user.id
  useEffect(() => {
    if (userId === undefined) return undefined
    dropDraftsOfOthers(userId)
    return forget
  }, [userId])
  return (
    <QueryClientProvider client={queryClient}>
      {session ? <RouterProvider router={router} /> : <SignedOut />}
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
