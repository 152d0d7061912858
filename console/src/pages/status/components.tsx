import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/time.tsx'
import { AlertBadges } from './alert-badges.tsx'
import { Deadline, Due } from './due.tsx'
import { useShown } from './readers.tsx'
import { namesOf } from './readers-text.ts'
import { Reason } from './reason.tsx'
import { RetireComponent } from './retire-component.tsx'
import { Said } from './said.tsx'
import { neverHeardOf, useComponents } from './use-components.ts'

type Component = Schemas['Component']

export function Components({ mayAct }: { readonly mayAct: boolean }) {
  const [retired, setRetired] = useState<string | null>(null)
  const components = useComponents()
  const shown = useShown().data
  const neverHeard = neverHeardOf(components.data, shown ?? [])
  return (
    <section>
      <h2>Components</h2>
      <Loaded query={components} name="components" isEmpty={({ components }) => components.length === 0}>
        {({ components }) => (
          <TableFrame label="Components" isWide>
            <thead>
              <tr>
                <th scope="col">Component</th>
                <th scope="col">Status</th>
                <th scope="col">Last heartbeat</th>
                <th scope="col">Due</th>
                <th scope="col">Deadline</th>
                <th scope="col">Last told</th>
                {mayAct && <th scope="col">Actions</th>}
              </tr>
            </thead>
            <tbody>
              {components.map((component) => (
                <tr key={component.componentId}>
                  <ComponentCells component={component} />
                  {mayAct && (
                    <td>
                      <button type="button" className="button" onClick={() => setRetired(component.componentId)}>
                        Retire<span className="hidden"> {component.componentId}</span>
                      </button>
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </TableFrame>
        )}
      </Loaded>
      <p className="note">
        A component appears with its first heartbeat: see <a href="docs#sending-heartbeats">how one is sent</a>.
      </p>
      {neverHeard.length > 0 && (
        <p className="notice">
          No heartbeat is known of <bdi>{namesOf(neverHeard)}</bdi>: nothing is awaited, and no alert is sent, before{' '}
          {neverHeard.length === 1 ? 'its' : 'their'} first one.
        </p>
      )}
      {shown?.length === 0 && (
        <p className="note">
          The public status page shows none of them yet:{' '}
          <a href="docs#STATUS_PAGE_COMPONENTS">STATUS_PAGE_COMPONENTS</a> names those that it shows.
        </p>
      )}
      {retired !== null && <RetireComponent componentId={retired} onClose={() => setRetired(null)} />}
    </section>
  )
}

type Target = Component['targets'][number]

const toldText = (isAlert: boolean, status: Target['publishedStatus']) =>
  isAlert && status === 'operational' ? 'no outage' : (status ?? 'nothing')

/** A channel counts as told that all is well before anything is sent to it; what was sent is forgotten at a restart. */
const untoldText = (status: Target['publishedStatus']) =>
  status === 'operational' ? 'nothing since start' : toldText(true, status)

/** Whether its alert channels get nothing. */
const isQuiet = ({ mute, maintenanceId }: Component) => mute !== null || maintenanceId !== null

/** Until it is accepted, or something else is to be sent. */
const isTriedAgain = (push: Target['push'], isHeld: boolean) => !isHeld && (push === 'waiting' || push === 'unknown')

function ComponentCells({ component }: { readonly component: Component }) {
  const { componentId, wantedStatus, heartbeat, lastHeartbeatAt, running, targets } = component
  return (
    <>
      <th scope="row" className="is-name">
        <Link to="/status/$componentId" params={{ componentId }}>
          {componentId}
        </Link>
      </th>
      <td>
        <StatusBadge status={wantedStatus} />
        {running > 0 && (
          <>
            {' '}
            <span className="badge is-info">running</span>
          </>
        )}
        <AlertBadges {...component} />
        <Said {...component} />
      </td>
      <td>
        <Time at={lastHeartbeatAt} />
        {heartbeat !== 'on time' && (
          <>
            {' '}
            <span className="badge is-warning">{heartbeat}</span>
          </>
        )}
      </td>
      <td>
        <Due {...component} />
      </td>
      <td>
        <Deadline {...component} />
      </td>
      <td>
        {targets
          .filter(({ isMapped }) => isMapped)
          .map(({ target, isAlert, publishedStatus, push, lastPushes: [last] }) => (
            <div key={target}>
              {target}: {last || !isAlert ? toldText(isAlert, publishedStatus) : untoldText(publishedStatus)}
              {last && last.outcome !== 'accepted' && `; “${last.status}” ${last.outcome}`}
              {last && <Reason text={last.reason} />}
              {isTriedAgain(push, isAlert && isQuiet(component)) && ', is tried again'}
            </div>
          ))}
      </td>
    </>
  )
}
