import { permitted } from '../../../../src/accounts/roles.ts'
import { Page } from '../../parts/page.tsx'
import { useSession } from '../../session/session.ts'
import { Announcements } from './announcements.tsx'
import { Components } from './components.tsx'
import { Diagnostics } from './diagnostics.tsx'
import { Incidents } from './incidents.tsx'
import { Maintenance } from './maintenance.tsx'
import { RecurringMaintenance } from './recurring-maintenance.tsx'
import { Targets } from './targets.tsx'
import { WrittenIncidents } from './written-incidents.tsx'

/** The status worker's data, read through the API. Each section says if the worker is unavailable. */
export function Status() {
  const { user } = useSession()
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
    </Page>
  )
}
