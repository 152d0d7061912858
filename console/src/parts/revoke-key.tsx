import type { QueryKey } from '@tanstack/react-query'
import { Confirm } from './confirm.tsx'

interface Props {
  readonly name: string
  readonly act: () => Promise<unknown>
  readonly queryKey: QueryKey
  readonly onClose: () => void
}

export const RevokeKey = ({ name, ...act }: Props) => (
  <Confirm title={`Revoke key: ${name}`} label="Revoke" done={`API key ${name} has been revoked`} {...act}>
    What uses this key is refused from now on. This cannot be undone.
  </Confirm>
)
