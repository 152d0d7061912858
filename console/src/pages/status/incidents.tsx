import { useInfiniteQuery } from '@tanstack/react-query'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { ShowOlder } from '../../parts/show-older.tsx'
import { Time } from '../../parts/time.tsx'
import { useSession } from '../../session/session.ts'

export function Incidents() {
  const { client } = useSession()
  const incidents = useInfiniteQuery({
    queryKey: ['status', 'incidents'],
    queryFn: ({ signal, pageParam }) => firstPage(client.status.incidents({ cursor: pageParam, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap((page) => page.incidents),
  })
  return (
    <section>
      <h2>Incidents</h2>
      <Loaded query={incidents} name="incidents" isEmpty={(all) => all.length === 0}>
        {(all) => (
          <ul className="entries">
            {all.map(({ id, componentId, startedAt, resolvedAt, message }) => (
              <li key={id}>
                <strong>{componentId}</strong>{' '}
                {resolvedAt === null ? (
                  <span className="badge is-bad">open</span>
                ) : (
                  <span className="badge">resolved</span>
                )}
                <p className="note">
                  Silent since <Time at={startedAt} />
                  {resolvedAt !== null && (
                    <>
                      , back <Time at={resolvedAt} />
                    </>
                  )}
                </p>
                {message !== null && (
                  <p className="text" dir="auto">
                    {message}
                  </p>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <ShowOlder query={incidents} />
    </section>
  )
}
