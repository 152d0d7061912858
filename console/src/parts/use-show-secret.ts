import { sessions, useSession } from '../session/session.ts'
import { SecretDialog } from './secret-dialog.tsx'
import { addSecret, type Secret } from './secrets.tsx'

/** Returns a function that shows a secret until it was copied, whatever page its user has gone to meanwhile. */
export function useShowSecret(): (secret: Secret) => void {
  const { user } = useSession()
  return (secret) => {
    if (sessions.current?.user.id === user.id) addSecret({ ...secret, View: SecretDialog })
  }
}
