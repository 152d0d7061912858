import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../session/session.ts'

/** What maintenance recurs. */
export function useRecurring() {
  const { client } = useSession()
  return useQuery({
    queryKey: ['status', 'recurring maintenance'],
    queryFn: ({ signal }) => client.status.maintenance.recurring.list({ signal }),
    select: ({ recurring }) => recurring.filter(({ endedAt }) => endedAt === null),
  })
}
