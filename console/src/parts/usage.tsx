import { useQuery } from '@tanstack/react-query'
import { Loaded } from './loaded.tsx'
import { type UsageOf, usageDays, useUsage } from './use-usage.ts'

interface Props {
  readonly userId?: string
  readonly isOwn?: boolean
}

/** Requests of all users, of one, or one's own, by group. */
export function Usage({ userId, isOwn = false }: Props) {
  const of: UsageOf = isOwn ? 'own' : userId === undefined ? 'all' : { userId }
  const { query, from } = useUsage(of)
  // Loads the plotting library only for a plot.
  const plot = useQuery({
    queryKey: ['plot'],
    queryFn: () => import('./usage-plot.tsx'),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })
  return (
    <Loaded query={query} name="requests">
      {({ usage }) => (
        <Loaded query={plot} name="plot">
          {({ UsagePlot }) => <UsagePlot usage={usage} from={from} days={usageDays} />}
        </Loaded>
      )}
    </Loaded>
  )
}
