import { useQuery } from '@tanstack/react-query'
import { useMayAskWorker } from '../../session/service.ts'
import { useSession } from '../../session/session.ts'

/** All components, reread while they are shown. */
export function useComponents() {
  const { client } = useSession()
  const enabled = useMayAskWorker()
  return useQuery({
    queryKey: ['status', 'components'],
    queryFn: ({ signal }) => client.status.components({ signal }),
    enabled,
    refetchInterval: 10_000,
  })
}
