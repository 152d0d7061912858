import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ActButton } from '../../parts/act-button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useSession } from '../../session/session.ts'

/** Splits names like `heartbeatTimeoutSeconds` into words. */
const wordsOf = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** Loaded only on demand, since it sends a live request to the status page. */
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
        <ActButton isBusy={diag.isFetching} onClick={() => (isWanted ? void diag.refetch() : setIsWanted(true))}>
          Run
        </ActButton>
      </header>
      <p className="note">The worker's settings, and a live request to its status page.</p>
      {isWanted && (
        <Loaded query={diag} name="diagnostics">
          {({ config, statusApi }) => (
            <dl className="facts">
              {Object.entries({ ...config, ...statusApi }).map(([name, value]) => (
                <div key={name}>
                  <dt>{wordsOf(name)}</dt>
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
