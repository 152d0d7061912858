import { permitted } from '../../../../src/accounts/roles.ts'
import { Contents } from '../../parts/contents.tsx'
import { Page } from '../../parts/page.tsx'
import { useHasWorker } from '../../session/service.ts'
import { useSession } from '../../session/session.ts'
import { Announcements } from './announcements.tsx'
import { Components } from './components.tsx'
import { Diagnostics } from './diagnostics.tsx'
import { Incidents } from './incidents.tsx'
import { Maintenance } from './maintenance.tsx'
import { OpenNow } from './open-now.tsx'
import { RecurringMaintenance } from './recurring-maintenance.tsx'
import { Targets } from './targets.tsx'
import { useComponents } from './use-components.ts'
import { WrittenIncidents } from './written-incidents.tsx'

/** The status worker's data, read through the API. */
export function Status() {
  const { user } = useSession()
  const hasWorker = useHasWorker()
  const isAdministrator = permitted.administer.includes(user.role)
  return (
    <Page
      title="Status"
      actions={
        <a className="button" href="status">
          Public status page
        </a>
      }
    >
      {hasWorker ? <Sections isAdministrator={isAdministrator} /> : <NoWorker />}
    </Page>
  )
}

const NoWorker = () => (
  <p className="empty">
    The service knows no status worker: <a href="docs#STATUS_WORKER_URL">STATUS_WORKER_URL</a> is not set. Only{' '}
    <code>npm start</code> sets it by itself.
  </p>
)

const sections = [
  'Components',
  'Written incidents',
  'Missed heartbeats',
  'Maintenance',
  'Recurring maintenance',
  'Announcements',
]
const ofAdministrators = ['Status pages and alert channels', 'Diagnostics']

/** The components come first: if the worker is unavailable, they say so for all. */
function Sections({ isAdministrator }: { readonly isAdministrator: boolean }) {
  const { data } = useComponents()
  if (data === undefined) return <Components mayAct={isAdministrator} />
  return (
    <>
      <OpenNow mayAct={isAdministrator} />
      <Contents names={isAdministrator ? [...sections, ...ofAdministrators] : sections} />
      <Components mayAct={isAdministrator} />
      <WrittenIncidents mayAct={isAdministrator} />
      <Incidents mayAct={isAdministrator} />
      <Maintenance mayAct={isAdministrator} />
      <RecurringMaintenance mayAct={isAdministrator} />
      <Announcements mayAct={isAdministrator} />
      {isAdministrator && (
        <>
          <Targets />
          <Diagnostics />
        </>
      )}
    </>
  )
}
