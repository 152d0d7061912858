import { useQuery } from '@tanstack/react-query'
import { serverNow } from '../session/server-clock.ts'
import { useSession } from '../session/session.ts'

export const usageDays = 90
export const dayMs = 86_400_000

/** Whose requests: of all users together, of one's own account, or of one user. */
export type UsageOf = 'all' | 'own' | { readonly userId: string }

export const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** Requests by day, from `from` on. */
export function useUsage(of: UsageOf) {
  const { client } = useSession()
  const from = dayOf(serverNow() - (usageDays - 1) * dayMs)
  const query = useQuery({
    queryKey: ['usage', of, from],
    queryFn: ({ signal }) =>
      of === 'own'
        ? client.auth.usage({ from, signal })
        : client.admin.usage({ from, ...(of !== 'all' && { userId: of.userId }), signal }),
  })
  return { query, from }
}
