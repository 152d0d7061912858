import { useQuery } from '@tanstack/react-query'
import { firstPage } from '../../parts/first-page.ts'
import { useSession } from '../../session/session.ts'

/** The newest events about a user. */
export function useUserEvents(userId: string) {
  const { client } = useSession()
  return useQuery({
    queryKey: ['user', userId, 'audit'],
    queryFn: ({ signal }) => firstPage(client.admin.auditEvents({ target: userId, limit: 20, signal })),
  })
}
