import { type ApiRoute, defineApiRoute, publicPage } from '../../accounts/api-route.ts'
import { choice, fields } from '../../http/fields.ts'
import { refuse } from '../../http/refusal.ts'
import { notModified } from '../../http/route.ts'
import { string } from '../../http/schema.ts'
import { logoTypes } from '../logo.ts'
import { errors } from './errors.ts'
import { type PublicStatus, types } from './status-page.ts'
import { statuspageRoutes } from './statuspage-routes.ts'
import { badgeDays, statusView } from './view.ts'

export interface StatusPageDeps {
  readonly publicStatus: PublicStatus
}

const badgeName = /^(.+)\.(svg|json)$/

export const statusPageRoutes: readonly ApiRoute<StatusPageDeps, unknown>[] = [
  defineApiRoute({
    ...publicPage,
    path: '/status',
    operationId: 'getStatusPage',
    summary: 'Get the public status page',
    description:
      'State, uptime, incidents, maintenance and announcements of the components that `STATUS_PAGE_COMPONENTS` names. The status worker is queried at most once in 10 s; while it cannot be reached, the page says so and shows no old data. In English or German, by `Accept-Language`.',
    reply: [{ status: 200, type: types.page }, notModified],
    handle: (call, { publicStatus }: StatusPageDeps) => publicStatus.page(call),
  }),
  defineApiRoute({
    ...publicPage,
    path: '/status.css',
    operationId: 'getStatusPageStyle',
    summary: 'Get the style sheet of the status page',
    reply: [{ status: 200, type: types.style }, notModified],
    handle: async (call, { publicStatus }: StatusPageDeps) => (await publicStatus.style())(call),
  }),
  defineApiRoute({
    ...publicPage,
    path: '/status.js',
    operationId: 'getStatusPageScript',
    summary: 'Get the script that shows times in the time zone of the visitor',
    reply: [{ status: 200, type: types.script }, notModified],
    handle: async (call, { publicStatus }: StatusPageDeps) => (await publicStatus.script())(call),
  }),
  defineApiRoute({
    ...publicPage,
    path: '/status/logo',
    operationId: 'getStatusPageLogo',
    summary: 'Get the logo of the status page, or the icon of the service',
    reply: [logoTypes, notModified],
    handle: (call, { publicStatus }: StatusPageDeps) => publicStatus.logo(call),
  }),
  defineApiRoute({
    ...publicPage,
    path: '/status/history',
    operationId: 'getStatusHistory',
    summary: 'Get the incidents of the last 90 days by month',
    reply: [{ status: 200, type: types.page }, notModified],
    handle: (call, { publicStatus }: StatusPageDeps) => publicStatus.historyPage(call),
  }),
  defineApiRoute({
    ...publicPage,
    path: '/status/incidents/:incident',
    params: { incident: string({ description: 'Its `id` in `/status.json`', examples: ['api-20260601120000000'] }) },
    operationId: 'getStatusIncident',
    summary: 'Get the page of an incident',
    description: 'The address stays while the incident lasts, and for 90 days after it ended.',
    reply: [
      { status: 200, type: types.page },
      notModified,
      { status: 404, type: types.page, description: 'For a browser' },
      { status: 503, type: types.page, description: 'For a browser' },
    ],
    errors: [errors.unknownIncident, errors.workerAway],
    async handle(call, { publicStatus }: StatusPageDeps) {
      const page = await publicStatus.incidentPage(call, call.params.incident ?? '')
      if (page) return page
      const isAway = (await publicStatus.view()).unknownSince !== null
      const refusal = isAway ? errors.workerAway : errors.unknownIncident
      if (!call.req.headers.accept?.includes('text/html')) return refuse(refusal)
      return publicStatus.unknownIncidentPage(call, refusal.status)
    },
  }),
  defineApiRoute({
    ...publicPage,
    path: '/status.json',
    operationId: 'getStatus',
    summary: 'Get the public status as JSON',
    isCompressed: true,
    reply: { status: 200, schema: statusView },
    handle: (_call, { publicStatus }: StatusPageDeps) => publicStatus.view(),
  }),
  defineApiRoute({
    ...publicPage,
    path: '/status.atom',
    operationId: 'getStatusFeed',
    summary: 'Get incidents, maintenance and announcements as an Atom feed',
    reply: [{ status: 200, type: types.feed }, notModified],
    handle: async (call, { publicStatus }: StatusPageDeps) => (await publicStatus.feed())(call),
  }),
  defineApiRoute({
    ...publicPage,
    path: '/status/maintenance.ics',
    operationId: 'getStatusCalendar',
    summary: 'Get planned and current maintenance as an iCalendar file',
    description:
      'For calendars that subscribe to it. Times are in UTC. While no status worker responds, it is refused: a calendar without entries would delete those of its subscribers.',
    reply: [{ status: 200, type: types.calendar }, notModified],
    errors: [errors.workerAway],
    handle: async (call, { publicStatus }: StatusPageDeps) =>
      ((await publicStatus.calendar()) ?? refuse(errors.workerAway))(call),
  }),
  defineApiRoute({
    ...publicPage,
    path: '/status/badge/:badge',
    params: { badge: string({ description: 'The component, followed by `.svg` or `.json`', examples: ['api.svg'] }) },
    operationId: 'getStatusBadge',
    summary: 'Get the state or uptime of a component as an image, or for shields.io',
    description: 'With `.json`, the format of the endpoint badge of shields.io.',
    query: fields({ days: choice(badgeDays, errors.badDays, { description: 'Show the uptime over this many days' }) }),
    reply: [{ status: 200, type: types.svg, also: [types.json] }, notModified],
    errors: [errors.unknownBadge],
    async handle(call, { publicStatus }: StatusPageDeps) {
      const [, id = '', format] = badgeName.exec(call.params.badge ?? '') ?? []
      if (!publicStatus.isPublic(id)) refuse(errors.unknownBadge)
      const badge = await publicStatus.badge(id, call.query.days, format === 'json' ? 'json' : 'svg')
      return badge(call)
    },
  }),
  ...statuspageRoutes,
]
