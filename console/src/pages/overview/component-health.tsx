import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../parts/loaded.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useSession } from '../../session/session.ts'

export function ComponentHealth() {
  const { client } = useSession()
  const components = useQuery({
    queryKey: ['status', 'components'],
    queryFn: ({ signal }) => client.status.components({ signal }),
    refetchInterval: 15_000,
  })
  return (
    <section>
      <h2>Components</h2>
      <Loaded query={components} name="components" isEmpty={({ components }) => components.length === 0}>
        {({ components }) => (
          <dl className="facts">
            {components.map(({ componentId, wantedStatus, heartbeat }) => (
              <div key={componentId}>
                <dt>{componentId}</dt>
                <dd>
                  <StatusBadge status={wantedStatus} /> {heartbeat !== 'on time' && `heartbeat ${heartbeat}`}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Loaded>
    </section>
  )
}
