import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Client } from '../../../../client/src/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Fact } from '../../parts/fact.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useSession } from '../../session/session.ts'
import { secondsText } from './due.tsx'

type Found = Awaited<ReturnType<Client['status']['diag']>>

const notSetUp = (
  <>
    <span className="badge">not set up</span> See <a href="docs#STATUS_SERVICE_URL">STATUS_SERVICE_URL</a>.
  </>
)

/** Whether the status page is there; one that was never set up is no fault. */
function Probe({ config, statusApi }: Pick<Found, 'config' | 'statusApi'>) {
  const { url, reached, httpStatus, durationMs, error } = statusApi
  if (url === null) return notSetUp
  if (reached && config.kind === 'webhook')
    return (
      <>
        <span className="badge is-good">reached</span> {url}, in {Math.round(durationMs)} ms. A webhook may refuse this
        request and still take messages: “Send a test” tells.
      </>
    )
  const isRefused = httpStatus !== null && httpStatus >= 400
  return (
    <>
      {reached ? (
        <span className={`badge ${isRefused ? 'is-warning' : 'is-good'}`}>{isRefused ? 'refused' : 'reached'}</span>
      ) : (
        <span className="badge is-bad">not reached</span>
      )}{' '}
      {[url, httpStatus !== null && `HTTP ${httpStatus}`, reached && `in ${Math.round(durationMs)} ms`, error]
        .filter(Boolean)
        .join(', ')}
    </>
  )
}

function Settings({ config }: Pick<Found, 'config'>) {
  const { kind, tokenPreview, allowList, publishSilence, maxComponents, pushWaitMs, pushTimeoutMs } = config
  return (
    <>
      {kind !== null && <Fact name="Kind of status page">{kind}</Fact>}
      {tokenPreview !== null && <Fact name="Token of the status page">{tokenPreview}</Fact>}
      <Fact name="Heartbeats are accepted from">{allowList.join(', ')}</Fact>
      <Fact name="Heartbeat timeout">{secondsText(config.heartbeatTimeoutSeconds)}</Fact>
      <Fact name="Heartbeat timeout after one that reports maintenance">
        {secondsText(config.maintenanceTimeoutSeconds)}
      </Fact>
      <Fact name="Deadlines are checked every">{secondsText(config.checkIntervalSeconds)}</Fact>
      <Fact name="Grace for heartbeats after a start">{secondsText(config.startGraceSeconds)}</Fact>
      <Fact name="A recovery is published after">{secondsText(config.flapSeconds)}</Fact>
      <Fact name="Changes are one alert within">{secondsText(config.groupSeconds)}</Fact>
      <Fact name="Missed heartbeats are published">{publishSilence ? 'yes' : 'no'}</Fact>
      <Fact name="At most">{maxComponents.toLocaleString('en')} components</Fact>
      <Fact name="A heartbeat waits for the status page">{pushWaitMs / 1000} s at most</Fact>
      <Fact name="A message may take">{pushTimeoutMs / 1000} s at most</Fact>
    </>
  )
}

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
      <p className="note">The worker's settings, and a live request to the status page that it sends to.</p>
      {isWanted && (
        <Loaded query={diag} name="diagnostics">
          {({ config, statusApi }) => (
            <dl className="facts">
              <Fact name="Status page">
                <Probe config={config} statusApi={statusApi} />
              </Fact>
              {statusApi.body !== null && config.kind !== 'webhook' && (
                <Fact name="Its reply">
                  <span className="text" dir="auto">
                    {statusApi.body}
                  </span>
                </Fact>
              )}
              <Settings config={config} />
            </dl>
          )}
        </Loaded>
      )}
    </section>
  )
}
