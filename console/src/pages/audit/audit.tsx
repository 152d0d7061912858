import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { Schemas } from '../../../../client/src/client.ts'
import { outcomes } from '../../../../src/accounts/actions.ts'
import { actionGroups } from '../../parts/action-names.ts'
import { Pager, useCursorPages } from '../../parts/cursor-pages.tsx'
import { EventTable } from '../../parts/event-table.tsx'
import { Select } from '../../parts/field.tsx'
import { firstPage } from '../../parts/first-page.ts'
import { fieldTime, inTimeZone } from '../../parts/form-values.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useService } from '../../session/service.ts'
import { useSession } from '../../session/session.ts'
import { readAuditSearch } from './search.ts'

const route = getRouteApi('/audit')

const lastTime = '9999-12-31T23:59:59.999Z'

/** A time of the address as the field has it, by the user's clock; nothing if it is none. */
function dayOf(time = '') {
  if (/^\d{4}-\d\d-\d\d$/.test(time)) return time
  const at = Date.parse(time)
  return Math.abs(at) <= Date.parse(lastTime) ? fieldTime(at).slice(0, 10) : ''
}

/** The first or last millisecond of the field's day, which may have 23 or 25 hours. */
function timeOf(day: string, end: 'first' | 'last') {
  const at = new Date(`${day}T00:00`)
  // A year of five digits is left for the service to refuse.
  if (Number.isNaN(at.getTime())) return day
  if (end === 'last') at.setTime(at.setDate(at.getDate() + 1) - 1)
  return at.getTime() > Date.parse(lastTime) ? lastTime : at.toISOString()
}

export function Audit() {
  const { client } = useSession()
  const search = readAuditSearch(route.useSearch())
  const navigate = useNavigate()
  const pages = useCursorPages()
  const { cursor } = pages
  const bucket = useService({ staleTime: Number.POSITIVE_INFINITY }).data?.bucket ?? 'images'
  const { id, ...filters } = search
  const events = useQuery({
    queryKey: ['audit', search, cursor],
    queryFn: ({ signal }) => {
      const [actor, target] = [search.actor, search.target].map((name) => name?.trim() || undefined)
      return firstPage(client.admin.auditEvents({ ...search, actor, target, limit: 50, cursor, signal }))
    },
    placeholderData: keepPreviousData,
  })
  const change = (changes: object) =>
    void navigate({ to: '/audit', search: readAuditSearch({ ...filters, ...changes }), replace: true })

  return (
    <Page title="Audit">
      {id === undefined ? (
        <search className="filters">
          <SearchField
            label="Actor"
            hint="A whole username or id."
            value={search.actor ?? ''}
            onChange={(actor) => change({ actor })}
          />
          <SearchField
            label="Target"
            hint={`A whole username or id; for an image, ${bucket}/fox/a.png.`}
            value={search.target ?? ''}
            onChange={(target) => change({ target })}
          />
          <Select
            label="Action"
            value={search.action ?? ''}
            options={[['', 'All']]}
            groups={actionGroups.map(([label, names]) => [label, Object.entries(names)] as const)}
            onChange={(event) => change({ action: event.currentTarget.value })}
          />
          <Select
            label="Outcome"
            value={search.outcome ?? ''}
            options={[['', 'All'], ...outcomes.map((each) => [each, each] as const)]}
            onChange={(event) => change({ outcome: event.currentTarget.value })}
          />
          <SearchField
            label="From"
            type="date"
            hint={inTimeZone()}
            value={dayOf(search.from)}
            onChange={(day) => change({ from: timeOf(day, 'first') })}
          />
          <SearchField
            label="To"
            type="date"
            hint={inTimeZone()}
            value={dayOf(search.to)}
            onChange={(day) => change({ to: timeOf(day, 'last') })}
          />
        </search>
      ) : (
        <p>
          One event. <Link to="/audit">Show all</Link>
        </p>
      )}
      <Loaded query={events} name="events" isEmpty={({ events }) => events.length === 0} empty="No event matches.">
        {({ events: rows }) => (
          <>
            <EventTable events={rows} />
            {id !== undefined && rows[0] && <Origin event={rows[0]} />}
          </>
        )}
      </Loaded>
      <Pager pages={pages} next={events.data?.next} isBusy={events.isPlaceholderData} />
    </Page>
  )
}

/** What to search the service's log for. */
const Origin = ({ event: { at, requestId } }: { readonly event: Schemas['AuditEvent'] }) => (
  <p className="note">
    At <code>{at}</code>
    {requestId !== null && (
      <>
        , request <code>{requestId}</code>
      </>
    )}
  </p>
)
