import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../../../client/src/client.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Time } from '../../parts/time.tsx'
import { useSession } from '../../session/session.ts'
import { secondsText } from './due.tsx'

type Run = Schemas['Run']

const tones = { running: 'is-info', succeeded: 'is-good', failed: 'is-bad', lost: 'is-bad' } as const

/** The last runs of a job, newest first, with what they printed. */
export function Runs({ componentId }: { readonly componentId: string }) {
  const { client } = useSession()
  const runs = useQuery({
    queryKey: ['status', 'runs', componentId],
    queryFn: ({ signal }) => client.status.runs(componentId, { signal }),
    refetchInterval: 10_000,
  })
  return (
    <section>
      <h2>Runs</h2>
      <Loaded
        query={runs}
        name="runs"
        isEmpty={({ runs }) => runs.length === 0}
        empty="None. Only jobs that report their start and end have runs."
      >
        {({ runs, maxRunSeconds }) => (
          <ul className="entries">
            {runs.map((run) => (
              <RunEntry key={run.id} run={run} maxRunSeconds={maxRunSeconds} />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  )
}

function RunEntry({ run, maxRunSeconds }: { readonly run: Run; readonly maxRunSeconds: number }) {
  const { rid, outcome, startedAt, endedAt, exitCode, overlaps, body } = run
  const at = startedAt ?? endedAt
  return (
    <li>
      <span className={`badge ${tones[outcome]}`}>{outcome}</span> {exitCode !== null && `exit code ${exitCode}`}
      {exitCode !== null && rid !== null && ', '}
      {rid !== null && (
        <>
          run <code>{rid}</code>
        </>
      )}{' '}
      {overlaps && <span className="badge is-warning">overlaps</span>}
      <p className="note">
        {startedAt === null ? 'Ended' : 'Started'} {at !== null && <Time at={at} />}
        {lengthOf(run, maxRunSeconds)}
      </p>
      {body !== null && (
        <details>
          <summary>
            Output<span className="hidden"> of the run {rid ?? at}</span>
          </summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
          <pre className="output" dir="auto" tabIndex={0}>
            {body}
          </pre>
        </details>
      )}
    </li>
  )
}

function lengthOf({ outcome, durationSeconds }: Run, maxRunSeconds: number): string {
  if (outcome === 'lost') return `, did not end within ${secondsText(maxRunSeconds)}`
  if (durationSeconds === null) return ', duration unknown'
  return outcome === 'running'
    ? `, running for ${secondsText(durationSeconds)}`
    : `, took ${secondsText(durationSeconds)}`
}
