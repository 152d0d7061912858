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
      The worker publishes “maintenance” for it once more, deletes it with its status changes, runs and uptime, and
      expects no more heartbeats. Its incidents stay listed for 90 days. The next heartbeat adds it again.
    </Confirm>
  )
}
