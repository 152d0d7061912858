import { Link } from '@tanstack/react-router'
import { EventTable } from '../../parts/event-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import type { User } from '../../session/session.ts'
import { useUserEvents } from './use-user-events.ts'

export function UserAudit({ user: { id, username } }: { readonly user: User }) {
  const events = useUserEvents(id)
  return (
    <section>
      <h2>What was done to this account</h2>
      <Loaded query={events} name="events" isEmpty={({ events }) => events.length === 0}>
        {({ events, next }) => (
          <>
            <EventTable events={events} />
            {next !== null && (
              <p>
                <Link to="/audit" search={{ target: id }}>
                  All events
                </Link>
              </p>
            )}
          </>
        )}
      </Loaded>
      <p>
        <Link to="/audit" search={{ actor: id }}>
          What <bdi>{username}</bdi> did
        </Link>
      </p>
    </section>
  )
}
