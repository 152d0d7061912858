import { Confirm } from '../../parts/confirm.tsx'
import { useSession } from '../../session/session.ts'

interface Props {
  readonly componentId: string
  readonly onClose: () => void
}

export function RetireComponent({ componentId, onClose }: Props) {
  const { client } = useSession()
  return (
    <Confirm
      title={`Retire ${componentId}`}
      label="Retire"
      act={() => client.status.retire(componentId)}
      done={`Retired: ${componentId}`}
      queryKey={['status']}
      onClose={onClose}
    >
      This deletes the component with its status changes, runs and uptime; no heartbeat of it is expected any more.
      Status pages are told “maintenance” one last time. Its incidents stay listed for 90 days. If a heartbeat comes all
      the same, the component is back.
    </Confirm>
  )
}
