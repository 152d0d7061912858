import { getRouteApi, Link } from '@tanstack/react-router'
import type { Schemas } from '../../../../client/src/client.ts'
import { permitted } from '../../../../src/accounts/roles.ts'
import { Fact } from '../../parts/fact.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { useSession } from '../../session/session.ts'
import { AcknowledgeEffect, hasChannel, isAcknowledgeable } from './acknowledge.tsx'
import { AlertBadges } from './alert-badges.tsx'
import { ComponentActs } from './component-acts.tsx'
import { Deadline, Due, secondsText } from './due.tsx'
import { MaintainedUntil } from './maintained-until.tsx'
import { useShown } from './readers.tsx'
import { Runs } from './runs.tsx'
import { Said } from './said.tsx'
import { isTold, Told } from './told.tsx'
import { neverHeardOf, useComponents } from './use-components.ts'

const route = getRouteApi('/status/$componentId')

/** One component: when it is due, its alerts and its runs. */
export function Component() {
  const { user } = useSession()
  const { componentId } = route.useParams()
  const isAdministrator = permitted.administer.includes(user.role)
  const components = useComponents()
  const found = components.data?.components.find((each) => each.componentId === componentId)
  const shown = useShown().data ?? []
  const isNeverHeard = neverHeardOf(components.data, shown).includes(componentId)
  return (
    <Page
      title={componentId}
      parent={<Link to="/status">Status</Link>}
      actions={isAdministrator && found && <ComponentActs component={found} />}
    >
      {isAdministrator && found && isAcknowledgeable(found) && <AcknowledgeEffect components={[found]} />}
      <Loaded
        query={{ ...components, data: components.data && { component: found } }}
        name="component"
        isEmpty={({ component }) => component === undefined}
        empty={
          isNeverHeard
            ? 'The settings name it, but no heartbeat of it is known: nothing is awaited, and no alert is sent, before its first one.'
            : 'The status worker does not know this component.'
        }
      >
        {({ component }) =>
          component && (
            <dl className="facts">
              <Fact name="Status">
                <StatusBadge status={component.wantedStatus} />
                <Said {...component} />
              </Fact>
              {component.maintenanceId !== null && (
                <Fact name="Maintenance">
                  <MaintainedUntil maintenanceId={component.maintenanceId} />
                </Fact>
              )}
              <Fact name="Alerts">
                {component.maintenanceId !== null && hasChannel(component) && 'none until the maintenance ends'}
                {component.acknowledgement !== null || component.mute !== null ? (
                  <AlertBadges {...component} />
                ) : hasChannel(component) ? (
                  component.maintenanceId === null && 'on'
                ) : (
                  withoutChannel(component)
                )}
              </Fact>
              <Fact name="Last heartbeat">
                <Time at={component.lastHeartbeatAt} />
                {component.heartbeat !== 'on time' && (
                  <>
                    {' '}
                    <span className="badge is-warning">{component.heartbeat}</span>
                  </>
                )}
              </Fact>
              <Fact name="Schedule">
                <Due {...component} />
              </Fact>
              <Fact name="Grace period">{secondsText(component.graceSeconds)}</Fact>
              <Fact name="Longest run">{secondsText(component.maxRunSeconds)}</Fact>
              <Fact name={component.heartbeat === 'missed' ? 'Missed deadline' : 'Next deadline'}>
                <Deadline {...component} />
              </Fact>
              {isTold(component) && (
                <Fact name="Told to">
                  <Told component={component} />
                </Fact>
              )}
            </dl>
          )
        }
      </Loaded>
      {isAdministrator && found && <Runs componentId={componentId} />}
      {!isAdministrator && <p className="note">Runs and actions are for admin and above; your role is {user.role}.</p>}
    </Page>
  )
}

function withoutChannel({ targets }: Schemas['Component']): string {
  const told = targets.filter(({ isMapped }) => isMapped).map(({ target }) => target)
  return `no alert channel is set up${told.length > 0 ? `; changes of its status go to ${told.join(', ')}` : ''}`
}
