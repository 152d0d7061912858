import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../../../client/src/client.ts'
import { permitted } from '../../../src/accounts/roles.ts'
import { firstPage } from '../parts/first-page.ts'
import { useMayAskWorker } from './service.ts'
import { useSession } from './session.ts'

/** A longer list counts as "20+". */
const limit = 20

/** Once a minute, while the tab is visible: four requests of the 600 that a session may send. */
export const gently = { staleTime: 30_000, refetchInterval: 60_000 } as const

/** Reports that wait for a moderator. */
export function useOpenReports() {
  const { client, user } = useSession()
  return useQuery({
    queryKey: ['reports', 'count'],
    queryFn: ({ signal }) => firstPage(client.admin.reports({ state: 'open', limit, signal })),
    enabled: permitted.moderate.includes(user.role),
    ...gently,
  })
}

/** Incidents by silence and by hand that are not resolved, and components that report that they are not well. */
export function useOpenIncidents() {
  const { client, user } = useSession()
  const mayAsk = useMayAskWorker()
  return useQuery({
    queryKey: ['status', 'open'],
    async queryFn({ signal }) {
      const [silent, written, { components }] = await Promise.all([
        firstPage(client.status.incidents({ open: 'true', limit, signal })),
        firstPage(client.status.writtenIncidents({ signal })),
        client.status.components({ signal }),
      ])
      return {
        silent: silent.incidents,
        reported: components.filter((each) => isUnwell(each) && !isSilent(each)),
        known: new Map(components.map((component) => [component.componentId, component])),
        written: written.incidents.filter(({ byHand }) => byHand?.resolvedAt === null),
        hasMore: silent.next !== null,
      }
    },
    enabled: mayAsk && permitted.readStatus.includes(user.role),
    ...gently,
  })
}

export type OpenIncidents = NonNullable<ReturnType<typeof useOpenIncidents>['data']>

/** By its own report, outside of maintenance. */
export const isUnwell = ({ lastReportedStatus, maintenanceId }: Schemas['Component']) =>
  ['degraded', 'partial', 'outage'].includes(lastReportedStatus) && maintenanceId === null

/** Its incident tells of it. */
const isSilent = ({ heartbeat }: Schemas['Component']) => heartbeat === 'missed'

const countOf = (open: OpenIncidents) => open.silent.length + open.reported.length + open.written.length

/** For the entries of the navigation, by address; null where nothing is open. */
export function useOpenWork(): Readonly<Record<string, string | null>> {
  const { data: reports } = useOpenReports()
  const { data: incidents, error } = useOpenIncidents()
  return {
    '/reports': reports ? textOf(reports.reports.length, reports.next !== null) : null,
    // No number would say that all is well.
    '/status': error ? '?' : incidents ? textOf(countOf(incidents), incidents.hasMore) : null,
  }
}

const textOf = (count: number, hasMore: boolean) => (count === 0 ? null : `${count}${hasMore ? '+' : ''}`)
