import type { QueryKey } from '@tanstack/react-query'
import { Confirm } from './confirm.tsx'

interface Props {
  readonly kinds: string
  readonly act: () => Promise<unknown>
  readonly queryKey: QueryKey
  readonly onClose: () => void
}

export const RevokeLink = ({ kinds, ...act }: Props) => (
  <Confirm title={`Revoke link to ${kinds}`} label="Revoke" done="Embed link revoked" {...act}>
    Wherever it is used, no image is shown any more. This cannot be undone.
  </Confirm>
)
