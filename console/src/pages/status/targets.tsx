import { useQuery } from '@tanstack/react-query'
import { ActButton } from '../../parts/act-button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Time } from '../../parts/time.tsx'
import { useAct } from '../../parts/use-act.ts'
import { useSession } from '../../session/session.ts'
import { secondsText } from './due.tsx'

/** Status pages and alert channels, with the last deliveries. They are configured in the worker's settings. */
export function Targets() {
  const { client } = useSession()
  const targets = useQuery({
    queryKey: ['status', 'targets'],
    queryFn: ({ signal }) => client.status.targets({ signal }),
    refetchInterval: 10_000,
  })
  const test = useAct(
    ['status'],
    (name: string) => client.status.testTarget(name),
    (name) => `Tested: ${name}`,
  )
  return (
    <section>
      <h2>Status pages and alert channels</h2>
      <Loaded
        query={targets}
        name="targets"
        isEmpty={({ targets }) => targets.length === 0}
        empty={
          <>
            None is set up: see <a href="docs#STATUS_TARGETS">STATUS_TARGETS</a>.
          </>
        }
      >
        {({ targets }) => (
          <ul className="entries">
            {targets.map(({ target, kind, host, isAlert, reminderSeconds, lastPushes, lastTest }) => (
              <li key={target}>
                <header className="section-head">
                  <h3>
                    <bdi>{target}</bdi>
                  </h3>
                  <ActButton isBusy={test.isPending} onClick={() => test.mutate(target)}>
                    Send a test<span className="hidden"> to {target}</span>
                  </ActButton>
                </header>
                <p className="note">
                  {isAlert ? 'Alert channel' : 'Status page'}, {kind} at {host}
                  {reminderSeconds !== null && `, reminds every ${secondsText(reminderSeconds)}`}
                </p>
                {lastTest && (
                  <p>
                    Test <Time at={lastTest.at} />: {lastTest.outcome} {lastTest.reason}
                  </p>
                )}
                <ul className="deliveries">
                  {lastPushes.map(({ at, componentId, status, outcome, reason, isReminder }) => (
                    <li key={at + componentId}>
                      <Time at={at} />: {componentId} {status}
                      {isReminder && ' (reminder)'}, {outcome}
                      {reason !== null && (
                        <span className="note" dir="auto">
                          {' '}
                          {reason}
                        </span>
                      )}
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  )
}
