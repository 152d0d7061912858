import { useQuery } from '@tanstack/react-query'
import { EventTable } from '../../parts/event-table.tsx'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { useSession } from '../../session/session.ts'

export function LatestEvents() {
  const { client } = useSession()
  const events = useQuery({
    queryKey: ['audit', 'latest'],
    queryFn: ({ signal }) => firstPage(client.admin.auditEvents({ limit: 8, signal })),
  })
  return (
    <section>
      <h2>Latest audit events</h2>
      <Loaded query={events} name="events" isEmpty={({ events }) => events.length === 0}>
        {({ events }) => <EventTable events={events} />}
      </Loaded>
    </section>
  )
}
