import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { isUnwell, type OpenIncidents } from '../../session/open-work.ts'
import { isOfRun, Said } from './said.tsx'

type ActOn = (component: Schemas['Component']) => ReactNode
type Acknowledgement = Schemas['Acknowledgement']

interface Entry {
  readonly key: string
  readonly content: ReactNode
}

/** What is not well at the moment, each with a link to where something can be done about it, or with an act. */
export const openEntries = (
  { silent, reported, written, known }: OpenIncidents,
  actOn: ActOn = () => null,
  /** Components that the public page shows. */
  shown: readonly string[] = [],
): readonly Entry[] => [
  ...written.map(({ id, byHand }) => ({
    key: id,
    content: byHand && (
      <>
        <StatusBadge status={byHand.level} />{' '}
        <Link to="/status" hash={id} dir="auto">
          {byHand.title}
        </Link>
        , began <Time at={byHand.startedAt} />
      </>
    ),
  })),
  ...silent.map(({ id, componentId, startedAt, message }) => ({
    key: id,
    content: (
      <>
        <span className="badge is-bad">{isOfRun(message) ? 'run did not end' : 'silent'}</span>{' '}
        <Link to="/status/$componentId" params={{ componentId }}>
          {componentId}
        </Link>
        , <Began startedAt={startedAt} downSince={known.get(componentId)?.downSince} />
        <By acknowledgement={known.get(componentId)?.acknowledgement} />
        <InMaintenance component={known.get(componentId)} shown={shown} />
        {isOfRun(message) ? (
          <Said exitCode={null} message={message} />
        ) : (
          <Reported component={known.get(componentId)} />
        )}
        <Act component={known.get(componentId)} actOn={actOn} />
      </>
    ),
  })),
  ...reported.map((component) => ({
    key: `component ${component.componentId}`,
    content: (
      <>
        <StatusBadge status={component.lastReportedStatus} />{' '}
        <Link to="/status/$componentId" params={{ componentId: component.componentId }}>
          {component.componentId}
        </Link>
        {component.downSince === null ? (
          <>
            , by its heartbeat <Time at={component.lastHeartbeatAt} />
          </>
        ) : (
          <>
            , began <Time at={component.downSince} />
          </>
        )}
        <By acknowledgement={component.acknowledgement} />
        {actOn(component)}
      </>
    ),
  })),
]

interface BeganProps {
  readonly startedAt: string
  readonly downSince?: string | null | undefined
}

/** An outage that was reported before the silence began earlier. */
const Began = ({ startedAt, downSince }: BeganProps) => {
  const isEarlier = downSince != null && downSince < startedAt
  return (
    <>
      {isEarlier ? 'down since' : 'began'} <Time at={isEarlier ? downSince : startedAt} />
    </>
  )
}

/** Of a component that is silent: what it reported before, if it was not well. */
const Reported = ({ component }: { readonly component: Schemas['Component'] | undefined }) =>
  component &&
  isUnwell(component) && (
    <>
      <div className="note">
        Its last heartbeat, <Time at={component.lastHeartbeatAt} />, reported “{component.lastReportedStatus}”.
      </div>
      <Said exitCode={component.exitCode} message={component.message} />
    </>
  )

interface InMaintenanceProps {
  readonly component: Schemas['Component'] | undefined
  readonly shown: readonly string[]
}

/** The public page then tells another story than the console. */
const InMaintenance = ({ component, shown }: InMaintenanceProps) =>
  component !== undefined &&
  component.maintenanceId !== null &&
  shown.includes(component.componentId) && (
    <div className="note">In maintenance, which the public page shows instead.</div>
  )

const Act = ({ component, actOn }: { readonly component: Schemas['Component'] | undefined; readonly actOn: ActOn }) =>
  component && actOn(component)

const By = ({ acknowledgement = null }: { readonly acknowledgement?: Acknowledgement | null | undefined }) =>
  acknowledgement && (
    <>
      {' '}
      <span className="badge is-info">
        acknowledged by <bdi>{acknowledgement.by}</bdi>
      </span>
    </>
  )
