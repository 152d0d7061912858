import type { Schemas } from '../../../../client/src/client.ts'
import { acceptedText, isTriedAgain, sentText } from '../../../../src/status/told.ts'
import { Reason } from './reason.tsx'

type Component = Schemas['Component']
type Target = Component['targets'][number]

/** A channel counts as told that all is well before anything is sent to it; what was sent is forgotten at a restart. */
const untoldText = (target: Target) =>
  target.isAlert && target.publishedStatus === 'operational' ? 'nothing since start' : acceptedText(target)

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
    .map((each) => {
      const [last] = each.lastPushes
      return (
        <div key={each.target}>
          {each.target}: {last ? acceptedText(each) : untoldText(each)}
          {last && last.outcome !== 'accepted' && `; “${sentText(last)}” ${last.outcome}`}
          {last && !isBrief && <Reason text={last.reason} />}
          {isTriedAgain(each, component) && ', is tried again'}
        </div>
      )
    })
