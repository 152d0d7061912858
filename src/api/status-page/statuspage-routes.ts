import { type ApiRoute, defineApiRoute, publicPage } from '../../accounts/api-route.ts'
import { refuse } from '../../http/refusal.ts'
import { errors } from './errors.ts'
import type { PublicStatus } from './status-page.ts'
import { statusOnly, statuspageSummary } from './statuspage-schemas.ts'

interface Deps {
  readonly publicStatus: PublicStatus
}

const shared = {
  ...publicPage,
  isCompressed: true,
  /** Scripts of any page may read it. */
  headers: { 'Access-Control-Allow-Origin': '*' },
  errors: [errors.workerAway],
} as const

const summaryOf = async ({ publicStatus }: Deps) => (await publicStatus.statuspage()) ?? refuse(errors.workerAway)

/** For programs that read pages of Atlassian Statuspage: their base URL is that of the API. */
export const statuspageRoutes: readonly ApiRoute<Deps, unknown>[] = [
  defineApiRoute({
    ...shared,
    path: '/api/v2/summary.json',
    operationId: 'getStatuspageSummary',
    summary: "Get the public status in the shape of Atlassian Statuspage's `summary.json`",
    description:
      'Components, open incidents and maintenance as on `/status`, and the status of everything. While no status worker responds, it is refused: Statuspage has no unknown state.',
    reply: { status: 200, schema: statuspageSummary },
    handle: (_call, deps: Deps) => summaryOf(deps),
  }),
  defineApiRoute({
    ...shared,
    path: '/api/v2/status.json',
    operationId: 'getStatuspageStatus',
    summary: "Get the status of everything in the shape of Atlassian Statuspage's `status.json`",
    reply: { status: 200, schema: statusOnly },
    async handle(_call, deps: Deps) {
      const { page, status } = await summaryOf(deps)
      return { page, status }
    },
  }),
]
