import { useQuery } from '@tanstack/react-query'
import { permitted } from '../../../src/accounts/roles.ts'
import { useSession } from './session.ts'

/** About the service itself, for administrators. */
export function useService() {
  const { client, user } = useSession()
  return useQuery({
    queryKey: ['service'],
    queryFn: ({ signal }) => client.admin.service({ signal }),
    enabled: permitted.administer.includes(user.role),
  })
}

/** Whether the service knows a status worker; undefined until that is known. Others than administrators just ask it. */
export function useHasWorker(): boolean | undefined {
  const { user } = useSession()
  const { data, error } = useService()
  return permitted.administer.includes(user.role) ? (data?.statusWorker ?? (error ? true : undefined)) : true
}
