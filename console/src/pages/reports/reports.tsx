import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { permitted } from '../../../../src/accounts/roles.ts'
import { Pager, useCursorPages } from '../../parts/cursor-pages.tsx'
import { Select } from '../../parts/field.tsx'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { useSession } from '../../session/session.ts'
import { DeleteReported } from './delete-reported.tsx'
import { ReportEntry } from './report-entry.tsx'
import { readReportSearch } from './search.ts'
import { useReportActs } from './use-report-acts.ts'

const route = getRouteApi('/reports')

/** The queue of reported images. */
export function Reports() {
  const { client, user } = useSession()
  const { state = 'open' } = route.useSearch()
  const navigate = useNavigate()
  const pages = useCursorPages()
  const { cursor } = pages
  const reports = useQuery({
    queryKey: ['reports', state, cursor],
    queryFn: ({ signal }) => firstPage(client.admin.reports({ state, limit: 30, cursor, signal })),
    placeholderData: keepPreviousData,
  })
  const { isBusy, act } = useReportActs()
  const [deleted, setDeleted] = useState<Schemas['Report'] | null>(null)
  return (
    <Page title="Reports">
      <search className="filters">
        <Select
          label="State"
          value={state}
          options={[
            ['open', 'Open'],
            ['closed', 'Closed'],
          ]}
          onChange={(event) =>
            void navigate({ to: '/reports', search: readReportSearch({ state: event.currentTarget.value }) })
          }
        />
      </search>
      <Loaded
        query={reports}
        name="reports"
        isEmpty={({ reports }) => reports.length === 0}
        empty={`No ${state} reports.`}
      >
        {({ reports: rows, next }) => (
          <>
            {!permitted.administer.includes(user.role) && state === 'open' && (
              <p className="note" id="only-administrators">
                Only administrators delete images; hide those that nobody should see.
              </p>
            )}
            <ul className="entries">
              {rows.map((report) => (
                <li key={report.id} className="report">
                  <ReportEntry
                    report={report}
                    role={user.role}
                    isBusy={isBusy(report.id)}
                    onAct={(action) => act(report, action)}
                    onDelete={() => setDeleted(report)}
                  />
                </li>
              ))}
            </ul>
            <Pager pages={pages} next={next} isBusy={reports.isPlaceholderData} />
          </>
        )}
      </Loaded>
      {deleted && <DeleteReported report={deleted} onClose={() => setDeleted(null)} />}
    </Page>
  )
}
