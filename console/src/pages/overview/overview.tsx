import { permitted } from '../../../../src/accounts/roles.ts'
import { Page } from '../../parts/page.tsx'
import { Usage } from '../../parts/usage.tsx'
import { useHasWorker } from '../../session/service.ts'
import { useSession } from '../../session/session.ts'
import { Attention } from './attention.tsx'
import { ComponentHealth } from './component-health.tsx'
import { ImageKinds } from './image-kinds.tsx'
import { LatestEvents } from './latest-events.tsx'
import { NewestUsers } from './newest-users.tsx'
import { OwnLinks } from './own-links.tsx'
import { RefusedMost } from './refused-most.tsx'
import { Totals } from './totals.tsx'
import { Trends } from './trends.tsx'
import { UserSearch } from './user-search.tsx'

/** First where tasks begin and what needs attention, then how things go. Each section is shown to the roles that may read it. */
export function Overview() {
  const { user } = useSession()
  const hasWorker = useHasWorker()
  const isAdministrator = permitted.administer.includes(user.role)
  return (
    <Page title="Overview">
      {permitted.findUser.includes(user.role) && <UserSearch />}
      {[...permitted.moderate, ...permitted.readStatus].includes(user.role) && <Attention />}
      {isAdministrator && (
        <>
          <section>
            <h2>Requests per day</h2>
            <Trends of="all" />
            <Usage />
          </section>
          <Totals />
        </>
      )}
      <div className="columns">
        {hasWorker && permitted.readStatus.includes(user.role) && <ComponentHealth />}
        <ImageKinds />
        {!isAdministrator && <OwnLinks />}
        {isAdministrator && (
          <>
            <NewestUsers />
            <RefusedMost />
          </>
        )}
      </div>
      {isAdministrator ? (
        <LatestEvents />
      ) : (
        <section>
          <h2>Your requests per day</h2>
          <Trends of="own" />
          <Usage isOwn />
        </section>
      )}
    </Page>
  )
}
