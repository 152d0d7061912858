import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { ShowOlder } from '../../parts/show-older.tsx'
import { useSession } from '../../session/session.ts'
import { PeriodList } from './period-list.tsx'
import { PlanMaintenance } from './plan-maintenance.tsx'

export function Maintenance({ mayAct }: { readonly mayAct: boolean }) {
  const { client } = useSession()
  const [isPlanning, setIsPlanning] = useState(false)
  const [changed, setChanged] = useState<Schemas['Maintenance'] | null>(null)
  const list = useInfiniteQuery({
    queryKey: ['status', 'maintenance'],
    queryFn: ({ signal, pageParam }) => firstPage(client.status.maintenance.list({ cursor: pageParam, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap((page) => page.maintenance),
  })
  return (
    <section>
      <header className="section-head">
        <h2>Maintenance</h2>
        {mayAct && (
          <button type="button" className="button" onClick={() => setIsPlanning(true)}>
            Plan maintenance
          </button>
        )}
      </header>
      <Loaded query={list} name="maintenance" isEmpty={(windows) => windows.length === 0}>
        {(windows) => (
          <PeriodList
            periods={windows}
            noun="maintenance"
            mayAct={mayAct}
            end={(id) => client.status.maintenance.end(id)}
            change={setChanged}
          >
            {({ components }) => <strong>{components.join(', ')}</strong>}
          </PeriodList>
        )}
      </Loaded>
      <ShowOlder query={list} />
      {changed !== null && <PlanMaintenance planned={changed} onClose={() => setChanged(null)} />}
      {isPlanning && <PlanMaintenance onClose={() => setIsPlanning(false)} />}
    </section>
  )
}
