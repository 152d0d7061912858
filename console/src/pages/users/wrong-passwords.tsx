import { Fact } from '../../parts/fact.tsx'
import { serverNow } from '../../session/server-clock.ts'
import { useUserEvents } from './use-user-events.ts'

const minutes = 15

/** Why the right one may be refused: too many wrong ones refuse every login with the name for a while. */
export function WrongPasswords({ userId }: { readonly userId: string }) {
  const { data } = useUserEvents(userId)
  const events = data?.events ?? []
  const reset = events.findIndex(({ action, outcome }) => action === 'reset-password' && outcome === 'success')
  const since = serverNow() - minutes * 60_000
  const count = events
    .slice(0, reset === -1 ? undefined : reset)
    .filter(({ action, outcome }) => action === 'login' && outcome === 'refused: Invalid credentials')
    .filter(({ at }) => Date.parse(at) > since)
    .reduce((sum, { count }) => sum + count, 0)
  if (count === 0) return null
  return (
    <Fact name="Wrong passwords">
      {count} in the last {minutes} minutes.{' '}
      <span className="note">
        Too many refuse every login with this name for a while (429). A reset of the password ends that.
      </span>
    </Fact>
  )
}
