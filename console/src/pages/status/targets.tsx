import { useQuery } from '@tanstack/react-query'
import { ActButton } from '../../parts/act-button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Time } from '../../parts/time.tsx'
import { useAct } from '../../parts/use-act.ts'
import { useSession } from '../../session/session.ts'
import { secondsText } from './due.tsx'
import { Reason, reasonText } from './reason.tsx'

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
    async (name: string) => {
      const { test } = await client.status.testTarget(name)
      if (test.outcome === 'failed' || test.outcome === 'uncertain')
        throw new Error(
          `Test of ${name}: ${test.outcome}${test.reason === null ? '' : ` (${reasonText(test.reason)})`}`,
        )
      return test.outcome
    },
    (name, outcome) => `Test of ${name}: ${outcome}`,
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
            To set one up, see the setting <a href="docs#STATUS_TARGETS">STATUS_TARGETS</a>, which has an example.
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
                  {kind === 'webhook' ? 'Webhook' : `${isAlert ? 'Alert channel' : 'Status page'}, ${kind}`} at {host}
                  {kind === 'webhook' && ': each change of a status, without reminders'}
                  {reminderSeconds !== null && `, reminds every ${secondsText(reminderSeconds)}`}
                </p>
                {lastTest && (
                  <p>
                    Test <Time at={lastTest.at} />: <OutcomeBadge outcome={lastTest.outcome} />
                    <Reason text={lastTest.reason} />
                  </p>
                )}
                {lastPushes.length === 0 && <p className="note">Nothing sent since the worker's start.</p>}
                {lastPushes.some(isFailed) && (
                  <p className="note">
                    What was not accepted is sent again, first after 5 seconds, eventually every 5 minutes, until it is
                    accepted or replaced by newer news; a reminder when the next one is due.
                  </p>
                )}
                <ul className="deliveries">
                  {lastPushes.map(({ at, componentId, status, outcome, reason, isReminder, isAcknowledgement }) => (
                    <li key={at + componentId}>
                      <Time at={at} />: {componentId} {status}
                      {isReminder && ' (reminder)'}
                      {isAcknowledgement && ' (acknowledged)'} <OutcomeBadge outcome={outcome} />
                      <Reason text={reason} />
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

const isFailed = ({ outcome }: { readonly outcome: keyof typeof looks }) =>
  outcome === 'failed' || outcome === 'uncertain'

const looks = { accepted: 'badge is-good', failed: 'badge is-bad', uncertain: 'badge is-warning', sending: 'badge' }

const OutcomeBadge = ({ outcome }: { readonly outcome: keyof typeof looks }) => (
  <span className={looks[outcome]}>{outcome}</span>
)
