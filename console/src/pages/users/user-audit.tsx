import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EventTable } from '../../parts/event-table.tsx'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { useSession } from '../../session/session.ts'

export function UserAudit({ userId }: { readonly userId: string }) {
  const { client } = useSession()
  const events = useQuery({
    queryKey: ['user', userId, 'audit'],
    queryFn: ({ signal }) => firstPage(client.admin.auditEvents({ target: userId, limit: 20, signal })),
  })
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
