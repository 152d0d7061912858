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
import { RetireComponent } from './retire-component.tsx'
import { Said } from './said.tsx'
import { isTold, Told } from './told.tsx'
import { neverHeardOf, useComponents } from './use-components.ts'

type Component = Schemas['Component']

export function Components({ mayAct }: { readonly mayAct: boolean }) {
  const [retired, setRetired] = useState<string | null>(null)
  const components = useComponents()
  const shown = useShown().data
  const hasTargets = components.data?.components.some(isTold) ?? false
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
                <th scope="col">Schedule</th>
                <th scope="col">Deadline</th>
                {hasTargets && <th scope="col">Told to</th>}
                {mayAct && <th scope="col">Actions</th>}
              </tr>
            </thead>
            <tbody>
              {components.map((component) => (
                <tr key={component.componentId}>
                  <ComponentCells component={component} hasTargets={hasTargets} />
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
          The public status page shows none of them yet: the setting{' '}
          <a href="docs#STATUS_PAGE_COMPONENTS">STATUS_PAGE_COMPONENTS</a> names those that it shows.
        </p>
      )}
      {retired !== null && <RetireComponent componentId={retired} onClose={() => setRetired(null)} />}
    </section>
  )
}

interface CellsProps {
  readonly component: Component
  readonly hasTargets: boolean
}

function ComponentCells({ component, hasTargets }: CellsProps) {
  const { componentId, wantedStatus, heartbeat, lastHeartbeatAt, running } = component
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
      {hasTargets && (
        <td className="is-told">
          <Told component={component} isBrief />
        </td>
      )}
    </>
  )
}
