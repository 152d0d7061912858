import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { serverNow } from '../session/server-clock.ts'
import { useSession } from '../session/session.ts'
import { Loaded } from './loaded.tsx'

/** The plotting library comes only with a plot. */
const UsagePlot = lazy(async () => ({ default: (await import('./usage-plot.tsx')).UsagePlot }))

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
  return (
    <Loaded query={usage} name="requests">
      {({ usage }) => (
        <Suspense fallback={<p className="loading">Loading plot…</p>}>
          <UsagePlot usage={usage} from={from} days={days} />
        </Suspense>
      )}
    </Loaded>
  )
}
