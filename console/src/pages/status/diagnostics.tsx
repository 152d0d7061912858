import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Loaded } from '../../parts/loaded.tsx'
import { useSession } from '../../session/session.ts'

/** Asked for only when wanted, since it sends a live request to the status page. */
export function Diagnostics() {
  const { client } = useSession()
  const [isWanted, setIsWanted] = useState(false)
  const diag = useQuery({
    queryKey: ['status', 'diag'],
    queryFn: ({ signal }) => client.status.diag({ signal }),
    enabled: isWanted,
    staleTime: 60_000,
  })
  return (
    <section>
      <header className="section-head">
        <h2>Diagnostics</h2>
        <button
          type="button"
          className="button"
          disabled={diag.isFetching}
          onClick={() => (isWanted ? void diag.refetch() : setIsWanted(true))}
        >
          Run
        </button>
      </header>
      <p className="note">The worker's settings, and a live request to its status page.</p>
      {isWanted && (
        <Loaded query={diag} name="diagnostics">
          {({ config, statusApi }) => (
            <dl className="facts">
              {Object.entries({ ...config, ...statusApi }).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd className="text" dir="auto">
                    {Array.isArray(value) ? value.join(', ') : String(value ?? 'not set')}
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </Loaded>
      )}
    </section>
  )
}
