import type { Schemas } from '../../../client/src/client.ts'

type Status = Schemas['ComponentStatus']

const tones: Readonly<Record<Status, string>> = {
  operational: 'is-good',
  degraded: 'is-warning',
  partial: 'is-warning',
  outage: 'is-bad',
  maintenance: 'is-info',
}

export const StatusBadge = ({ status }: { readonly status: Status }) => (
  <span className={`badge ${tones[status]}`}>{status}</span>
)
