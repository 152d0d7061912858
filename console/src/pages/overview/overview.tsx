import { permitted } from '../../../../src/accounts/roles.ts'
import { Page } from '../../parts/page.tsx'
import { Usage } from '../../parts/usage.tsx'
import { useSession } from '../../session/session.ts'
import { ComponentHealth } from './component-health.tsx'
import { ImageKinds } from './image-kinds.tsx'
import { LatestEvents } from './latest-events.tsx'
import { NewestUsers } from './newest-users.tsx'
import { RefusedMost } from './refused-most.tsx'
import { Totals } from './totals.tsx'

/** Each section is shown to the roles that may read it; a user sees which images there are. */
export function Overview() {
  const { user } = useSession()
  const isAdministrator = permitted.administer.includes(user.role)
  return (
    <Page title="Overview">
      {isAdministrator && (
        <>
          <Totals />
          <section>
            <h2>Requests per day</h2>
            <Usage />
          </section>
        </>
      )}
      <div className="columns">
        {permitted.readStatus.includes(user.role) && <ComponentHealth />}
        <ImageKinds />
        {isAdministrator && (
          <>
            <NewestUsers />
            <RefusedMost />
          </>
        )}
      </div>
      {isAdministrator && <LatestEvents />}
    </Page>
  )
}
