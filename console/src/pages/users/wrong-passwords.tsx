import { useEffect, useState } from 'react'
import { Fact } from '../../parts/fact.tsx'
import { serverNow } from '../../session/server-clock.ts'
import { type User, useSession } from '../../session/session.ts'
import { refusalOf } from './rules.ts'
import { useUserEvents } from './use-user-events.ts'

const minutes = 15
const refreshMs = 30_000

/** Why somebody who has the right password may be refused. */
export function WrongPasswords({ user }: { readonly user: User }) {
  const { user: actor } = useSession()
  const { data } = useUserEvents(user.id)
  const [, refresh] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => refresh((count) => count + 1), refreshMs)
    return () => clearInterval(timer)
  }, [])
  const events = data?.events ?? []
  const reset = events.findIndex(({ action, outcome }) => action === 'reset-password' && outcome === 'success')
  const since = serverNow() - minutes * 60_000
  const latest = (reset === -1 ? events : events.slice(0, reset)).filter(({ at }) => Date.parse(at) > since)
  const count = latest
    .filter(({ action, outcome }) => action === 'login' && outcome === 'refused: Invalid credentials')
    .reduce((sum, { count }) => sum + count, 0)
  if (count === 0) return null
  const isCutOff = data?.next !== null && latest.length === events.length
  return (
    <Fact name="Wrong passwords">
      {isCutOff && 'at least '}
      {count} in the last {minutes} minutes.{' '}
      <span className="note">
        After too many, every login with this name is refused for a while (429).
        {refusalOf('reset password', actor, user) === null && ' A reset of the password forgets them.'}
      </span>
    </Fact>
  )
}
