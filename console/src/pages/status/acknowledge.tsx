import type { Schemas } from '../../../../client/src/client.ts'
import { isDown } from '../../../../src/status/statuses.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { useAct } from '../../parts/use-act.ts'
import { useSession } from '../../session/session.ts'

type Component = Schemas['Component']

/** Whether somebody is alerted of its outages. */
export const hasChannel = ({ targets }: Component) => targets.some(({ isAlert }) => isAlert)

/** Whether an outage lasts that nobody has acknowledged. */
export const isAcknowledgeable = ({ wantedStatus, acknowledgement }: Component): boolean =>
  isDown(wantedStatus) && acknowledgement === null

const effectId = 'acknowledging'

interface Props {
  readonly component: Component
  /** One of several. */
  readonly isOfList?: boolean
}

/** `AcknowledgeEffect` is on the same page. */
export function Acknowledge({ component, isOfList = false }: Props) {
  const { client } = useSession()
  const acknowledge = useAct(
    ['status'],
    () => client.status.acknowledge(component.componentId),
    () => (hasChannel(component) ? 'Acknowledged: nobody is reminded of this outage any more' : 'Acknowledged'),
  )
  return (
    <ActButton
      tone={isOfList ? undefined : 'main'}
      aria-describedby={effectId}
      isBusy={acknowledge.isPending}
      onClick={() => acknowledge.mutate(undefined)}
    >
      Acknowledge{isOfList && <span className="hidden"> the outage of {component.componentId}</span>}
    </ActButton>
  )
}

/** What it does, before one does it. */
export const AcknowledgeEffect = ({ components }: { readonly components: readonly Component[] }) => (
  <p className="note" id={effectId}>
    {components.some(hasChannel)
      ? 'Acknowledge: reminders stop, and the alert channels that were told of it learn who is looking after it.'
      : 'Acknowledge: these pages say from then on who looks after the outage.'}
  </p>
)
