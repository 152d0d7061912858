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
      The worker publishes “maintenance” for it once more, deletes it with its history of incidents and uptime, and
      expects no more heartbeats. The next heartbeat adds it again.
    </Confirm>
  )
}
