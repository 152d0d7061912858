import { useQueryClient } from '@tanstack/react-query'
import type { Schemas } from '../../../../client/src/client.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { useSession } from '../../session/session.ts'

interface Props {
  readonly report: Schemas['Report']
  readonly onClose: () => void
}

export function DeleteReported({ report: { id, name, hidden }, onClose }: Props) {
  const { client } = useSession()
  const queries = useQueryClient()
  return (
    <Confirm
      title={`Delete ${name}`}
      label="Delete image"
      act={async () => {
        await client.admin.resolveReport(id, { action: 'delete' })
        for (const queryKey of [['images'], ['kinds']]) void queries.invalidateQueries({ queryKey })
      }}
      done={`Deleted: ${name}`}
      queryKey={['reports']}
      onClose={onClose}
    >
      This is final: the file and its details are deleted, and cannot be restored from here.
      {!hidden && ' To take it away for now, hide it.'}
    </Confirm>
  )
}
