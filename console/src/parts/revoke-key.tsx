import type { QueryKey } from '@tanstack/react-query'
import { Confirm } from './confirm.tsx'
import { Time } from './time.tsx'

interface Props {
  readonly name: string
  /** Another key may have the same name. */
  readonly createdAt: string
  readonly act: () => Promise<unknown>
  readonly queryKey: QueryKey
  readonly onClose: () => void
}

export const RevokeKey = ({ name, createdAt, ...act }: Props) => (
  <Confirm title={`Revoke key: ${name}`} label="Revoke" done={`API key ${name} has been revoked`} {...act}>
    It was created <Time at={createdAt} />. What uses this key is refused from now on. This cannot be undone.
  </Confirm>
)
