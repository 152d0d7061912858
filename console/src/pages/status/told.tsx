import type { Schemas } from '../../../../client/src/client.ts'
import { Reason } from './reason.tsx'

type Component = Schemas['Component']
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

/** Whether its status goes to a target. */
export const isTold = ({ targets }: Component) => targets.some(({ isMapped }) => isMapped)

interface Props {
  readonly component: Component
  /** Among other components: only that it failed. */
  readonly isBrief?: boolean
}

/** What each target was told of the component last. */
export const Told = ({ component, isBrief = false }: Props) =>
  component.targets
    .filter(({ isMapped }) => isMapped)
    .map(({ target, isAlert, publishedStatus, push, lastPushes: [last] }) => (
      <div key={target}>
        {target}: {last || !isAlert ? toldText(isAlert, publishedStatus) : untoldText(publishedStatus)}
        {last && last.outcome !== 'accepted' && `; “${last.status}” ${last.outcome}`}
        {last && !isBrief && <Reason text={last.reason} />}
        {isTriedAgain(push, isAlert && isQuiet(component)) && ', is tried again'}
      </div>
    ))
