import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../session/session.ts'

/** All components, reread while they are shown. */
export function useComponents() {
  const { client } = useSession()
  return useQuery({
    queryKey: ['status', 'components'],
    queryFn: ({ signal }) => client.status.components({ signal }),
    refetchInterval: 10_000,
  })
}
