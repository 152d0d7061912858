import { useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { isDown } from '../../../../src/status/statuses.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { useAct } from '../../parts/use-act.ts'
import { useSession } from '../../session/session.ts'
import { Acknowledge, isAcknowledgeable } from './acknowledge.tsx'
import { ChangeComponent } from './change-component.tsx'
import { MuteDialog } from './mute-dialog.tsx'
import { OpenIncident } from './open-incident.tsx'
import { PlanMaintenance } from './plan-maintenance.tsx'

interface Props {
  readonly component: Schemas['Component']
}

export function ComponentActs({ component }: Props) {
  const { client } = useSession()
  const [opened, setOpened] = useState<'mute' | 'change' | 'plan' | 'write' | null>(null)
  const { componentId, lastReportedStatus, heartbeat, mute } = component
  const unmute = useAct(
    ['status'],
    () => client.status.unmute(componentId),
    () => 'Alerts are sent again',
  )
  const close = () => setOpened(null)
  return (
    <>
      {isAcknowledgeable(component) && <Acknowledge component={component} />}
      {isDown(lastReportedStatus) && heartbeat !== 'missed' && (
        <button type="button" className="button" onClick={() => setOpened('write')}>
          Open an incident
        </button>
      )}
      <button type="button" className="button" onClick={() => setOpened('mute')}>
        {mute === null ? 'Mute' : 'Mute until another time'}
      </button>
      {mute !== null && (
        <ActButton isBusy={unmute.isPending} onClick={() => unmute.mutate(undefined)}>
          Unmute
        </ActButton>
      )}
      <button type="button" className="button" onClick={() => setOpened('change')}>
        Change schedule
      </button>
      <button type="button" className="button" onClick={() => setOpened('plan')}>
        Plan maintenance
      </button>
      {opened === 'write' && <OpenIncident components={[componentId]} onClose={close} />}
      {opened === 'mute' && <MuteDialog componentId={componentId} onClose={close} />}
      {opened === 'plan' && <PlanMaintenance components={[componentId]} onClose={close} />}
      {opened === 'change' && <ChangeComponent component={component} onClose={close} />}
    </>
  )
}
