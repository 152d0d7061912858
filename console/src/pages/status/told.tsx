import type { Schemas } from '../../../../client/src/client.ts'
import { acceptedText, sentText } from '../../../../src/status/told.ts'
import { ExactTime } from '../../parts/time.tsx'
import { serverNow } from '../../session/server-clock.ts'
import { Reason } from './reason.tsx'

type Component = Schemas['Component']

/** Whether its status goes to a target. */
export const isTold = ({ targets }: Component) => targets.some(({ isMapped }) => isMapped)

interface Props {
  readonly component: Component
  /** Among other components: only that it failed. */
  readonly isBrief?: boolean
}

/** An earlier repeat is soon enough to need no time. */
const farMs = 60_000

/** What each target was told of the component last: what it accepted or, if that failed, what it was to be told. */
export const Told = ({ component, isBrief = false }: Props) =>
  component.targets
    .filter(({ isMapped }) => isMapped)
    .map((each) => {
      const [last] = each.lastPushes
      const { retryAt } = each
      const failed = last?.outcome === 'accepted' ? undefined : last
      return (
        <div key={each.target}>
          {each.target}: {failed ? `“${sentText(failed)}” ${failed.outcome}` : acceptedText(each)}
          {failed && !isBrief && failed.reason !== null && ':'}
          {failed && !isBrief && <Reason text={failed.reason} />}
          {retryAt !== null && ', is tried again'}
          {retryAt !== null && !isBrief && Date.parse(retryAt) - serverNow() > farMs && (
            <>
              {' '}
              by <ExactTime at={retryAt} />
            </>
          )}
          {failed && !each.isAlert && `; last accepted: ${acceptedText(each)}`}
        </div>
      )
    })
