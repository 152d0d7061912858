import { useQuery } from '@tanstack/react-query'
import { permitted } from '../../../src/accounts/roles.ts'
import { useSession } from './session.ts'

/** About the service itself, for administrators. */
export function useService(freshness: { readonly staleTime?: number; readonly refetchInterval?: number } = {}) {
  const { client, user } = useSession()
  return useQuery({
    queryKey: ['service'],
    queryFn: ({ signal }) => client.admin.service({ signal }),
    enabled: permitted.administer.includes(user.role),
    ...freshness,
  })
}

/** False once it is known that no status worker is set up; others than administrators never know. */
export const useHasWorker = (): boolean => useService().data?.statusWorker ?? true

/** False until that is known. */
export function useMayAskWorker(): boolean {
  const { isLoading } = useService()
  return useHasWorker() && !isLoading
}
