import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { firstPage } from '../../parts/first-page.ts'
import { ExactTime } from '../../parts/time.tsx'
import { useSession } from '../../session/session.ts'

/** When the announced maintenance of a component ends. The page of the status ends it earlier. */
export function MaintainedUntil({ maintenanceId }: { readonly maintenanceId: string }) {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['status', 'maintenance', 'active'],
    queryFn: ({ signal }) => firstPage(client.status.maintenance.list({ state: 'active', signal })),
  })
  const found = data?.maintenance.find(({ id }) => id === maintenanceId)
  return (
    <>
      {found && (
        <>
          until <ExactTime at={found.until} />:{' '}
        </>
      )}
      <Link to="/status">all maintenance</Link>
      {found?.text && (
        <div className="note text" dir="auto">
          {found.text}
        </div>
      )}
    </>
  )
}
