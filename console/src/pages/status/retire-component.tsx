import { Dialog } from '../../parts/dialog.tsx'
import { useAct } from '../../parts/use-act.ts'
import { useSession } from '../../session/session.ts'

interface Props {
  readonly componentId: string
  readonly onClose: () => void
}

export function RetireComponent({ componentId, onClose }: Props) {
  const { client } = useSession()
  const retire = useAct(
    ['status'],
    (id: string) => client.status.retire(id),
    (id) => `Retired: ${id}`,
  )
  return (
    <Dialog
      title={`Retire ${componentId}`}
      description={<p>The worker forgets it, and expects no heartbeat any more. Another heartbeat brings it back.</p>}
      isOpen
      onClose={onClose}
    >
      <div className="actions">
        <button
          type="button"
          className="button is-danger"
          disabled={retire.isPending}
          onClick={() => retire.mutate(componentId, { onSettled: onClose })}
        >
          Retire
        </button>
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  )
}
