import { isAtLeast } from '../../navigation.ts'
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
  const isAdministrator = isAtLeast(user.role, 'admin')
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
        {isAtLeast(user.role, 'support') && <ComponentHealth />}
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
