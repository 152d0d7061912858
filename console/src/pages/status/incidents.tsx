import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { ShowOlder } from '../../parts/show-older.tsx'
import { Time } from '../../parts/time.tsx'
import { useSession } from '../../session/session.ts'
import { isOfRun } from './said.tsx'
import { UpdateIncident } from './update-incident.tsx'

/** What is open stands at the top of the page too. */
const limit = 5

export function Incidents({ mayAct }: { readonly mayAct: boolean }) {
  const { client } = useSession()
  const [updated, setUpdated] = useState<Schemas['Incident'] | null>(null)
  const incidents = useInfiniteQuery({
    queryKey: ['status', 'incidents'],
    queryFn: ({ signal, pageParam }) => firstPage(client.status.incidents({ cursor: pageParam, limit, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap((page) => page.incidents),
  })
  return (
    <section>
      <h2>Missed heartbeats</h2>
      <Loaded query={incidents} name="missed heartbeats" isEmpty={(all) => all.length === 0}>
        {(all) => (
          <ul className="entries">
            {all.map((incident) => {
              const { id, componentId, startedAt, resolvedAt, message } = incident
              return (
                <li key={id}>
                  <strong>{componentId}</strong>{' '}
                  {resolvedAt === null ? (
                    <span className="badge is-bad">open</span>
                  ) : (
                    <span className="badge">resolved</span>
                  )}
                  <p className="note">
                    {isOfRun(message) ? 'Its run was to end' : 'Fell silent'} <Time at={startedAt} />
                    {resolvedAt !== null && (
                      <>
                        , ended <Time at={resolvedAt} />
                      </>
                    )}
                  </p>
                  {message !== null && (
                    <p className="text" dir="auto">
                      {!isOfRun(message) && 'Last message: '}
                      {message}
                    </p>
                  )}
                  {mayAct && (
                    <button type="button" className="button" onClick={() => setUpdated(incident)}>
                      Write an update<span className="hidden"> of {componentId}</span>
                    </button>
                  )}
                </li>
              )
            })}
          </ul>
        )}
      </Loaded>
      <ShowOlder query={incidents} />
      {updated && (
        <UpdateIncident
          id={updated.id}
          name={updated.componentId}
          byHand={null}
          components={[updated.componentId]}
          isResolved={updated.resolvedAt !== null}
          onClose={() => setUpdated(null)}
        />
      )}
    </section>
  )
}
