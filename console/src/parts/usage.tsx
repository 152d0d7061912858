import { useQuery } from '@tanstack/react-query'
import { serverNow } from '../session/server-clock.ts'
import { useSession } from '../session/session.ts'
import { Loaded } from './loaded.tsx'

const days = 90
const dayMs = 86_400_000

/** Requests of all users, or of one, by group. */
export function Usage({ userId }: { readonly userId?: string }) {
  const { client } = useSession()
  const from = new Date(serverNow() - (days - 1) * dayMs).toISOString().slice(0, 10)
  const usage = useQuery({
    queryKey: ['usage', userId ?? null, from],
    queryFn: ({ signal }) => client.admin.usage({ from, userId, signal }),
  })
  // Loads the plotting library only for a plot.
  const plot = useQuery({
    queryKey: ['plot'],
    queryFn: () => import('./usage-plot.tsx'),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })
  return (
    <Loaded query={usage} name="requests">
      {({ usage }) => (
        <Loaded query={plot} name="plot">
          {({ UsagePlot }) => <UsagePlot usage={usage} from={from} days={days} />}
        </Loaded>
      )}
    </Loaded>
  )
}
