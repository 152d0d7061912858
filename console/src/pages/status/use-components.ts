import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../../../client/src/client.ts'
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

/** What the settings name, but no heartbeat has. */
export function neverHeardOf(
  data:
    | { readonly components: readonly Schemas['Component'][]; readonly neverHeard: readonly Schemas['NeverHeard'][] }
    | undefined,
  shown: readonly string[],
): readonly string[] {
  if (!data) return []
  const named = new Set([...data.neverHeard.flatMap((each) => each.components), ...shown])
  for (const { componentId } of data.components) named.delete(componentId)
  return [...named].sort()
}
