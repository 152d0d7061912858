import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { MenagerieError } from '../../../../client/src/client.ts'
import { permitted } from '../../../../src/accounts/roles.ts'
import { firstPage } from '../../parts/first-page.ts'
import { sizeText } from '../../parts/size.ts'
import { Time } from '../../parts/time.tsx'
import { gently, useOpenIncidents, useOpenReports } from '../../session/open-work.ts'
import { serverNow } from '../../session/server-clock.ts'
import { useHasWorker, useMayAskWorker, useService } from '../../session/service.ts'
import { useSession } from '../../session/session.ts'
import { ReportEntry } from '../reports/report-entry.tsx'
import { useReportActs } from '../reports/use-report-acts.ts'
import { openEntries } from '../status/open-entries.tsx'

/** What somebody should look at first, most urgent first. Each line leads to where it is dealt with, unless it is here. */
export function Attention() {
  const hasWorker = useHasWorker()
  const [incidents, reports, logins, targets, disk] = [
    useIncidents(),
    useReports(),
    useRefusedLogins(),
    useFailedTargets(),
    useDisk(),
  ]
  const parts = hasWorker ? [incidents, reports, logins, targets, disk] : [reports, logins, disk]
  const lines = parts.flatMap(({ lines }) => lines)
  return (
    <section>
      <h2>Needs attention</h2>
      {lines.length > 0 ? (
        <ul className="entries attention">
          {lines.map(({ key, look, content }) => (
            <li key={key} className={look}>
              {content}
            </li>
          ))}
        </ul>
      ) : parts.some(({ isLoading }) => isLoading) ? (
        <p className="loading" role="status">
          Loading what needs attention…
        </p>
      ) : (
        <p className="empty">Nothing.</p>
      )}
    </section>
  )
}

interface Line {
  readonly key: string
  readonly look?: string
  readonly content: ReactNode
}

interface Part {
  readonly isLoading: boolean
  readonly lines: readonly Line[]
}

/** What could not be read is said too: silence would mean that all is well. */
function partOf<T>(
  { data, error, isLoading }: { data: T | undefined; error: unknown; isLoading: boolean },
  name: string,
  linesOf: (data: T) => readonly Line[],
): Part {
  const reason = error instanceof MenagerieError ? error.text : String(error)
  const unknown = error ? [{ key: name, content: `Unknown: ${name}. ${reason}` }] : []
  return { isLoading, lines: [...(data === undefined ? [] : linesOf(data)), ...unknown] }
}

function useIncidents(): Part {
  return partOf(useOpenIncidents(), 'open incidents', openEntries)
}

const maxReports = 3

function useReports(): Part {
  const { user } = useSession()
  const { isBusy, act } = useReportActs()
  return partOf(useOpenReports(), 'reports', ({ reports, next }) => {
    const all = `All ${reports.length}${next === null ? '' : '+'} reports`
    const entries = reports.slice(0, maxReports).map((report) => ({
      key: report.id,
      look: 'report is-brief',
      content: (
        <ReportEntry
          report={report}
          role={user.role}
          isBrief
          isBusy={isBusy(report.id)}
          onAct={(action) => act(report, action)}
        />
      ),
    }))
    if (reports.length <= maxReports) return entries
    return [...entries, { key: 'reports', content: <Link to="/reports">{all}</Link> }]
  })
}

const hourMs = 3_600_000
const hours = 24
const limit = 500

function useRefusedLogins(): Part {
  const { client, user } = useSession()
  const from = new Date(Math.floor(serverNow() / hourMs - hours) * hourMs).toISOString()
  const logins = useQuery({
    queryKey: ['audit', 'logins', from],
    queryFn: ({ signal }) =>
      firstPage(client.admin.auditEvents({ action: 'login', outcome: 'refused', from, limit, signal })),
    enabled: permitted.administer.includes(user.role),
    ...gently,
  })
  return partOf(logins, 'refused sign-ins', ({ events: refused, next }) => {
    const count = refused.reduce((total, event) => total + event.count, 0)
    const addresses = new Set(refused.map(({ address }) => address)).size
    const text = `${count.toLocaleString('en')}${next === null ? '' : '+'} refused ${count === 1 ? 'sign-in' : 'sign-ins'}`
    const content = (
      <>
        <Link to="/audit" search={{ action: 'login', outcome: 'refused', from }}>
          {text}
        </Link>{' '}
        in {hours} hours, from {addresses} {addresses === 1 ? 'address' : 'addresses'}
      </>
    )
    return count === 0 ? [] : [{ key: 'logins', content }]
  })
}

/** Status pages and alert channels that did not accept what was sent last. */
function useFailedTargets(): Part {
  const { client, user } = useSession()
  const mayAsk = useMayAskWorker()
  const targets = useQuery({
    queryKey: ['status', 'targets'],
    queryFn: ({ signal }) => client.status.targets({ signal }),
    enabled: mayAsk && permitted.administer.includes(user.role),
    ...gently,
  })
  return partOf(targets, 'status pages and alert channels', ({ targets }) =>
    targets.flatMap(({ target, lastPushes: [push], lastTest }) => {
      const isTest = lastTest !== null && (push === undefined || lastTest.at > push.at)
      const last = isTest ? lastTest : push
      if (last === undefined || last.outcome === 'accepted') return []
      const content = (
        <>
          <span className="badge is-bad">{last.outcome}</span> {isTest ? 'Test of' : 'Message to'}{' '}
          <Link to="/status">{target}</Link> <Time at={last.at} />
        </>
      )
      return [{ key: `target ${target}`, content }]
    }),
  )
}

const minFreeShare = 0.1

function useDisk(): Part {
  return partOf(useService(gently), 'disk', ({ disk, instance }) => {
    if (!disk || disk.freeBytes >= minFreeShare * disk.totalBytes) return []
    const content = `The disk of ${instance} has ${sizeText(disk.freeBytes)} of ${sizeText(disk.totalBytes)} free`
    return [{ key: 'disk', content }]
  })
}
