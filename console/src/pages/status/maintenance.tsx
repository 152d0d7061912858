import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { othersOf } from '../../../../src/status/other-maintenance.ts'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { ShowOlder } from '../../parts/show-older.tsx'
import { ExactTime } from '../../parts/time.tsx'
import { useSession } from '../../session/session.ts'
import { PeriodList } from './period-list.tsx'
import { PlanMaintenance } from './plan-maintenance.tsx'
import { useRecurring } from './use-recurring.ts'

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
  const recurring = new Set(useRecurring().data?.flatMap(({ windows }) => windows.map(({ id }) => id)))
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
            changeLabel="Change"
            rest={(window) =>
              othersOf(window, windows).map(({ other, both }) => (
                <p key={other.id}>
                  Other maintenance of {both.join(', ')} stays: <ExactTime at={other.from} /> until{' '}
                  <ExactTime at={other.until} />.
                </p>
              ))
            }
          >
            {({ id, components }) => (
              <>
                <strong>{components.join(', ')}</strong> {recurring.has(id) && <span className="badge">recurring</span>}
              </>
            )}
          </PeriodList>
        )}
      </Loaded>
      <ShowOlder query={list} />
      {changed !== null && <PlanMaintenance planned={changed} onClose={() => setChanged(null)} />}
      {isPlanning && <PlanMaintenance onClose={() => setIsPlanning(false)} />}
    </section>
  )
}
