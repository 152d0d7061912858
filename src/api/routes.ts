import { type AdminDeps, adminRoutes } from '../accounts/admin/routes.ts'
import type { ApiRoute } from '../accounts/api-route.ts'
import { type EmbedDeps, embedRoutes } from '../accounts/embed-routes.ts'
import { type FirstOwnerDeps, firstOwnerRoute } from '../accounts/first-owner-route.ts'
import { type KeyRouteDeps, keyRoutes } from '../accounts/key-routes.ts'
import type { LimitedPassage } from '../accounts/limits.ts'
import { type AccountDeps, accountRoutes } from '../accounts/routes.ts'
import { consoleSessionRoutes, type SessionRouteDeps, sessionRoutes } from '../accounts/session-routes.ts'
import { usageRoute } from '../accounts/usage-route.ts'
import type { Config } from '../config/config.ts'
import { type ListRouteDeps, listRoutes } from '../images/admin/list-routes.ts'
import type { Kinds } from '../images/kinds.ts'
import { type ModerationRouteDeps, moderationRoutes } from '../images/moderation-routes.ts'
import { type ReportDeps, reportRoutes } from '../images/report-routes.ts'
import { type ImageDeps, imageRoutes } from '../images/routes.ts'
import { type AcknowledgeDeps, acknowledgeRoutes } from './acknowledge/routes.ts'
import { type AdminServiceDeps, adminServiceRoute } from './admin-service.ts'
import { alertWrites } from './admin-status/alert-writes.ts'
import type { AdminStatusDeps } from './admin-status/parts.ts'
import { statusReads } from './admin-status/reads.ts'
import { recurringWrites } from './admin-status/recurring-writes.ts'
import { statusWrites } from './admin-status/writes.ts'
import { type BaseDeps, baseRoutes } from './base-routes.ts'
import { type ConsoleDeps, consoleRoutes } from './console.ts'
import { type DocsDeps, docsRoutes } from './docs.ts'
import { type MetricsRouteDeps, metricsRoute } from './metrics-route.ts'
import { type StatusPageDeps, statusPageRoutes } from './status-page/routes.ts'

export type ApiDeps = AccountDeps &
  AcknowledgeDeps &
  AdminDeps &
  AdminServiceDeps &
  AdminStatusDeps &
  BaseDeps &
  ConsoleDeps &
  DocsDeps &
  EmbedDeps &
  FirstOwnerDeps &
  ImageDeps &
  KeyRouteDeps &
  ListRouteDeps &
  MetricsRouteDeps &
  ReportDeps &
  ModerationRouteDeps &
  SessionRouteDeps &
  StatusPageDeps

interface Pages {
  /** STATUS_PAGE */
  readonly hasStatusPage?: boolean
  /** CONSOLE */
  readonly hasConsole?: boolean
  /** IMAGE_SIZES */
  readonly hasSizes?: boolean
}

/** The pages and parameters that the settings enable. */
export const pagesOf = ({
  STATUS_PAGE,
  CONSOLE,
  IMAGE_SIZES,
}: Pick<Config, 'STATUS_PAGE' | 'CONSOLE' | 'IMAGE_SIZES'>): Pages => ({
  hasStatusPage: STATUS_PAGE === 'on',
  hasConsole: CONSOLE,
  hasSizes: IMAGE_SIZES,
})

export const apiRoutes = (
  kinds: Kinds,
  { hasStatusPage = true, hasConsole = true, hasSizes = true }: Pages = {},
): readonly ApiRoute<ApiDeps, LimitedPassage>[] => [
  ...baseRoutes,
  metricsRoute,
  ...docsRoutes,
  ...(hasConsole ? [...consoleRoutes, ...consoleSessionRoutes, firstOwnerRoute] : []),
  ...(hasStatusPage ? statusPageRoutes : []),
  ...acknowledgeRoutes,
  ...accountRoutes,
  usageRoute,
  ...keyRoutes,
  ...sessionRoutes,
  ...embedRoutes(kinds),
  ...adminRoutes,
  adminServiceRoute,
  ...statusReads,
  ...statusWrites,
  ...recurringWrites,
  ...alertWrites,
  ...imageRoutes(kinds, hasSizes),
  ...reportRoutes,
  ...moderationRoutes,
  ...listRoutes,
]
