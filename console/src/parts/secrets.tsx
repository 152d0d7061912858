import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react'
import { sessions, useSession } from '../session/session.ts'
import { createListeners } from './listeners.ts'

/** What the service tells only once. */
export interface Secret {
  readonly title: string
  readonly label: string
  readonly secret: string
  /** What to do with it. */
  readonly note?: string
}

const load = () => import('./secret-dialog.tsx')
const SecretDialog = lazy(async () => ({ default: (await load()).SecretDialog }))

let secrets: readonly Secret[] = []
const { tell, subscribe } = createListeners()

function set(next: readonly Secret[]): void {
  secrets = next
  tell()
}

export const forgetSecrets = () => set([])

/** Returns a function that shows a secret until it was copied, whatever page its user has gone to meanwhile. */
export function useShowSecret(): (secret: Secret) => void {
  const { user } = useSession()
  // Before there is one: it must be shown even if the service is unavailable by then.
  useEffect(() => void load().catch(() => {}), [])
  return (secret) => {
    if (sessions.current?.user.id === user.id) set([...secrets, secret])
  }
}

export function Secrets() {
  const [first, ...others] = useSyncExternalStore(subscribe, () => secrets)
  if (first === undefined) return null
  return (
    <Suspense>
      <SecretDialog key={first.secret} {...first} onClose={() => set(others)} />
    </Suspense>
  )
}
