import { readFileSync } from 'node:fs'
import { defaultPageSize, maxPageSize, maxReasonLength } from '../accounts/admin/limits.ts'
import { tagsOf } from '../accounts/api-route.ts'
import { errors } from '../accounts/errors.ts'
import { maxKeys } from '../accounts/keys.ts'
import { hashLimits, maxPasswordBytes } from '../accounts/passwords.ts'
import { usernameForm } from '../accounts/username.ts'
import { notFound } from '../api/errors.ts'
import { apiRoutes, pagesOf } from '../api/routes.ts'
import { baseUrlOf, type Config, textsOf } from '../config/config.ts'
import { readPackage } from '../config/package.ts'
import { rateLimitsOf } from '../config/rate-limits.ts'
import { sections } from '../config/settings.ts'
import { workerUrlOf } from '../config/worker-url.ts'
import type { Route } from '../http/route.ts'
import { proxyPath } from '../images/descriptor.ts'
import { maxCount, maxPageSize as maxImagePageSize } from '../images/errors.ts'
import { maxCachedBytes } from '../images/image-cache.ts'
import { defaultPageSize as defaultImagePageSize } from '../images/list-images.ts'
import { maxKeyBytes } from '../images/object-name.ts'
import { errors as limitErrors } from '../limits/errors.ts'
import { type Limit, routeLimits, type SetScope, setScopes, whatIsLimited } from '../limits/scopes.ts'
import { maxDelayed } from '../limits/throttle.ts'
import { errors as statusErrors } from '../status/errors.ts'
import { type Documents, renderDocuments } from './documents.ts'
import { bytes, type LimitRow, seconds } from './limit-rows.ts'
import { describe, type Group, type Reference, type ReferenceInput, type ServiceInput } from './model.ts'
import { sharedErrorList } from './shared-error-list.ts'
import { workerGroup } from './worker.ts'

const textOf = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Collects the input of all documents. */
function referenceInput(config: Config, baseUrl: string): ReferenceInput {
  const limits = rateLimitsOf(config)
  const worker = workerGroup(workerUrlOf(config))
  const api: ServiceInput = {
    title: 'The API',
    base: baseUrl,
    envelope: 'message',
    errors: [notFound('<METHOD>', '<path>'), ...Object.values(limitErrors)],
    limitsOf: (route) => limitRowsOf(limits, route),
    keysOf: (route) => keysOf(tagsOf(route)),
    headers: limitHeaders,
  }
  const { version, license, author } = readPackage()
  return {
    title: 'Menagerie',
    version,
    license,
    author,
    summary: 'Accounts, roles and random images as a self-hosted service, with a separate status worker.',
    token: {
      format: 'JWT',
      description:
        'The `accessToken` of register and login already begins with `Bearer `: send it unchanged as the Authorization header.',
    },
    intro: textOf('./opening.md'),
    decisions: textOf('../../docs/decisions.md'),
    groups: [...apiGroups(config, api), worker],
    shapes,
    sharedErrors: sharedErrorList,
    limits: limitRows(config, limits),
    settings: sections,
    texts: { ...textsOf(config), BASE_URL: baseUrl, WORKER_URL: worker.service.base },
  }
}

/** The routes of the API by subject, each of them once. */
function apiGroups(config: Config, service: ServiceInput): Group[] {
  const routes = apiRoutes(config.imageKinds, pagesOf(config))
  const under = (prefix: string) => routes.filter(({ path }) => path.startsWith(prefix))
  const [ofAccounts, ofStore] = [under('/auth/'), under('/admin/s3/')]
  const ofImages = [...under('/images'), ...under(proxyPath)]
  const ofStatus = [...under('/status'), ...under('/api/v2/')]
  const ofAdministration = under('/admin/').filter((route) => !ofStore.includes(route))
  const grouped = [...ofStatus, ...ofAccounts, ...ofImages, ...ofAdministration, ...ofStore]
  return [
    {
      title: 'Base',
      description: 'Liveness, readiness, metrics and this reference. No token required.',
      service,
      routes: routes.filter((route) => !grouped.includes(route)),
    },
    {
      title: 'Accounts',
      description: 'Register, sign in and out, change the password.',
      service,
      routes: ofAccounts,
    },
    {
      title: 'Images',
      description: 'Random images, lists of images, and the images themselves. All but the images require a token.',
      service,
      routes: ofImages,
    },
    {
      title: 'Administration',
      description: 'Users, roles, bans, usernames, request counters and the audit log.',
      service,
      routes: ofAdministration,
    },
    {
      title: 'The object store',
      description: 'The image store: connection test, uploads and deletes.',
      service,
      routes: ofStore,
    },
    {
      title: 'The status page',
      description: 'Public, unless `STATUS_PAGE` is `off`. No token required.',
      service,
      routes: ofStatus,
    },
  ]
}

const shapes: ReferenceInput['shapes'] = [
  {
    envelope: 'error',
    example: errors.usernameRequired,
    use: 'Errors of the routes under `/auth`: validation and credentials.',
  },
  {
    envelope: 'status',
    example: errors.tokenInvalid,
    use: 'On every route: access (401 and 403), rate limits (429), overload and unavailable dependencies (503). All errors of the routes under `/admin`, `/i` and `/e`.',
  },
  {
    envelope: 'message',
    example: notFound('GET', '/nowhere'),
    use: 'Unmatched paths, base routes, routes under `/images`, unexpected failures and invalid HTTP. `stack` is the literal `N/A` unless `NODE_ENV` is `development`.',
  },
  { envelope: 'ok', example: statusErrors.forbidden, use: 'Every error of the status worker.' },
]

const limitRows = (config: Config, limits: Limits): LimitRow[] => [
  ...rateLimitRows(limits, setScopes),
  { what: 'Concurrently delayed requests', value: String(maxDelayed), beyond: '503 with `Retry-After`' },
  { what: 'Username', value: `${usernameForm.minLength} to ${usernameForm.maxLength} characters`, beyond: '400' },
  {
    what: 'New password',
    value: `at least ${config.PASSWORD_MIN_LENGTH} characters, at most ${maxPasswordBytes} bytes`,
    beyond: '400',
  },
  { what: 'API keys per user', value: String(maxKeys), beyond: '409' },
  { what: 'Users or events per page', value: `1 to ${maxPageSize}, ${defaultPageSize} by default`, beyond: '400' },
  { what: 'Images per random response', value: `1 to ${maxCount}`, beyond: '400' },
  { what: 'Images per page', value: `1 to ${maxImagePageSize}, ${defaultImagePageSize} by default`, beyond: '400' },
  { what: 'Upload', value: bytes(config.UPLOAD_MAX_BYTES), beyond: '413' },
  { what: 'Object name', value: `${maxKeyBytes} bytes`, beyond: '400' },
  { what: 'Cached image', value: bytes(maxCachedBytes), beyond: 'read from the store each time' },
  { what: 'Reason for a ban', value: `${maxReasonLength} characters`, beyond: '400' },
  {
    what: 'Concurrent password hashes',
    value: `${hashLimits.slots} (1 on a single core), plus ${hashLimits.queue} waiting`,
    beyond: '503 with `Retry-After`',
  },
]

function keysOf({ keyScope }: ReturnType<typeof tagsOf>): string | null {
  if (keyScope === null) return null
  return keyScope === 'any' ? 'any API key' : `API keys with the scope ${keyScope}`
}

const limitHeaders = {
  'X-RateLimit-Limit': {
    description:
      'Maximum of the limit with the fewest requests left, or of the one that was exceeded. Absent if no limit applies',
    example: '1000',
  },
  'X-RateLimit-Remaining': { description: 'Requests left in the window', example: '987' },
  'X-RateLimit-Reset': { description: 'End of the window, in seconds since 1970', example: '1780315320' },
  'Retry-After': { description: 'Seconds until the window ends', example: '42', status: 429 },
}

type Limits = Readonly<Record<SetScope, Limit>>

function limitRowsOf(limits: Limits, route: Route): LimitRow[] {
  const { limit } = tagsOf(route)
  return rateLimitRows(limits, limit === null ? ['global'] : [...routeLimits[limit], 'global'])
}

const rateLimitRows = (limits: Limits, names: readonly SetScope[]): LimitRow[] =>
  names
    .filter((name) => limits[name].max > 0)
    .map((name) => {
      const { max, windowMs, slow } = limits[name]
      const isSlow = slow !== null && slow.after < max
      const steps = isSlow
        ? `; after ${slow.after}, each further one is delayed ${slow.stepMs} ms longer, up to ${seconds(slow.capMs)}`
        : ''
      return {
        what: whatIsLimited[name],
        value: `${max} per ${seconds(windowMs)}${steps}`,
        beyond: '429',
        ...(name === 'global' && { isEverywhere: true }),
      }
    })

export const referenceModel = (config: Config, baseUrl = baseUrlOf(config, config.PORT)): Reference =>
  describe(referenceInput(config, baseUrl))
export const makeDocuments = (config: Config, baseUrl?: string): Documents =>
  renderDocuments(referenceModel(config, baseUrl))
