import { Link } from '@tanstack/react-router'
import { EventTable } from '../../parts/event-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useUserEvents } from './use-user-events.ts'

export function UserAudit({ userId }: { readonly userId: string }) {
  const events = useUserEvents(userId)
  return (
    <section>
      <h2>Audit trail</h2>
      <Loaded query={events} name="events" isEmpty={({ events }) => events.length === 0}>
        {({ events, next }) => (
          <>
            <EventTable events={events} />
            {next !== null && (
              <p>
                <Link to="/audit" search={{ target: userId }}>
                  All events
                </Link>
              </p>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}
