import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { permitted } from '../../../../src/accounts/roles.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useSession } from '../../session/session.ts'
import { useComponents } from '../status/use-components.ts'

const PlanMaintenance = lazy(async () => ({
  default: (await import('../status/plan-maintenance.tsx')).PlanMaintenance,
}))

export function ComponentHealth() {
  const { user } = useSession()
  const [planned, setPlanned] = useState<string | null>(null)
  const components = useComponents()
  return (
    <section>
      <h2>Components</h2>
      <Loaded query={components} name="components" isEmpty={({ components }) => components.length === 0}>
        {({ components }) => (
          <dl className="facts">
            {components.map(({ componentId, wantedStatus, heartbeat }) => (
              <div key={componentId}>
                <dt>
                  <Link to="/status/$componentId" params={{ componentId }}>
                    {componentId}
                  </Link>
                </dt>
                <dd className="with-act">
                  <span>
                    <StatusBadge status={wantedStatus} /> {heartbeat !== 'on time' && `heartbeat ${heartbeat}`}
                  </span>
                  {permitted.administer.includes(user.role) && (
                    <button type="button" className="link-button" onClick={() => setPlanned(componentId)}>
                      Plan maintenance<span className="hidden"> of {componentId}</span>
                    </button>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Loaded>
      <Suspense>
        {planned !== null && <PlanMaintenance components={[planned]} onClose={() => setPlanned(null)} />}
      </Suspense>
    </section>
  )
}
