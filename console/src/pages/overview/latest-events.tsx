import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../../../client/src/client.ts'
import { EventTable } from '../../parts/event-table.tsx'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { useSession } from '../../session/session.ts'

const shown = 8
/** Enough that others are among them while a page that cannot be read is asked for again and again. */
const asked = 50

const isFailedRead = ({ action, outcome }: Schemas['AuditEvent']) =>
  action.endsWith('.read') && outcome.startsWith('failed')

export function LatestEvents() {
  const { client } = useSession()
  const events = useQuery({
    queryKey: ['audit', 'latest'],
    queryFn: ({ signal }) => firstPage(client.admin.auditEvents({ limit: asked, signal })),
    select: ({ events }) => events.filter((event) => !isFailedRead(event)).slice(0, shown),
  })
  return (
    <section>
      <h2>Latest audit events</h2>
      <Loaded query={events} name="events" isEmpty={(latest) => latest.length === 0}>
        {(latest) => <EventTable events={latest} />}
      </Loaded>
    </section>
  )
}
