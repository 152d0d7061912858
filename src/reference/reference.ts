import { readFileSync } from 'node:fs'
import { mostOfPage, mostReason, usualOfPage } from '../accounts/admin/limits.ts'
import { errors } from '../accounts/errors.ts'
import { hashPlaces, mostPasswordBytes } from '../accounts/passwords.ts'
import { usernameForm } from '../accounts/username.ts'
import { notFound } from '../api/errors.ts'
import { apiRoutes } from '../api/routes.ts'
import { baseUrlOf, type Config, textsOf } from '../config/config.ts'
import { readPackage } from '../config/package.ts'
import { rateLimitsOf } from '../config/rate-limits.ts'
import { sections } from '../config/settings.ts'
import { proxyPath } from '../images/descriptor.ts'
import { mostAtOnce, mostOfPage as mostOfImagePage } from '../images/errors.ts'
import { mostHeldBytes } from '../images/image-cache.ts'
import { usualOfPage as usualOfImagePage } from '../images/list-images.ts'
import { mostKeyBytes } from '../images/object-name.ts'
import { errors as limitErrors } from '../limits/errors.ts'
import { type Limit, type ScopeName, scopeNames } from '../limits/scopes.ts'
import { mostHeld } from '../limits/waiting-room.ts'
import { errors as statusErrors } from '../status/errors.ts'
import { statusRoutes } from '../status/routes.ts'
import { workerErrors } from '../worker/worker.ts'
import { type Documents, renderDocuments } from './documents.ts'
import { bytes, type LimitRow, seconds } from './limit-rows.ts'
import { describe, type Reference, type ReferenceInput, type ServiceInput } from './model.ts'

const textOf = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Everything that the documents are printed from, put together. */
function referenceInput(config: Config): ReferenceInput {
  const baseUrl = baseUrlOf(config, config.PORT)
  const api: ServiceInput = {
    title: 'The API',
    base: baseUrl,
    envelope: 'message',
    errors: [notFound('<METHOD>', '<path>'), ...Object.values(limitErrors)],
    headers: limitHeaders,
  }
  const worker: ServiceInput = {
    title: 'The status worker',
    base: `http://${config.STATUS_HOST.includes(':') ? `[${config.STATUS_HOST}]` : config.STATUS_HOST}:${config.STATUS_PORT}`,
    envelope: 'ok',
    errors: workerErrors,
  }
  const under = (prefix: string) => apiRoutes.filter(({ path }) => path.startsWith(prefix))
  const [ofAccounts, ofStore] = [under('/auth/'), under('/admin/s3/')]
  const ofImages = [...under('/images'), ...under(proxyPath)]
  const ofAdministration = under('/admin/').filter((route) => !ofStore.includes(route))
  const grouped = [...ofAccounts, ...ofImages, ...ofAdministration, ...ofStore]
  const { version, license, author } = readPackage()
  return {
    title: 'Menagerie',
    version,
    license,
    author,
    summary: 'Accounts, roles and random images as a self-hosted service, with a status worker beside it.',
    token: {
      format: 'JWT',
      description:
        'The `accessToken` of register and login already begins with `Bearer `: send it as the Authorization header as it is.',
    },
    intro: textOf('./opening.md'),
    decisions: textOf('../../docs/decisions.md'),
    groups: [
      {
        title: 'Base',
        description: 'Whether the service lives and can serve, and its reference. No token needed.',
        service: api,
        routes: apiRoutes.filter((route) => !grouped.includes(route)),
      },
      {
        title: 'Accounts',
        description: 'Register, sign in and out, change the password.',
        service: api,
        routes: ofAccounts,
      },
      {
        title: 'Images',
        description:
          'Random images of a kind, their lists, and the images themselves. All but the images need a token.',
        service: api,
        routes: ofImages,
      },
      {
        title: 'Administration',
        description: 'Users, their roles, bans, names and counters, and the audit of who did what.',
        service: api,
        routes: ofAdministration,
      },
      {
        title: 'The object store',
        description: 'Where the images are kept: whether it can be reached, uploads and deletes.',
        service: api,
        routes: ofStore,
      },
      {
        title: 'The status worker',
        description:
          'A process of its own. It needs no token, and answers only to the networks in `STATUS_ALLOW`, by the address of the connection.',
        service: worker,
        routes: statusRoutes,
      },
    ],
    shapes: [
      {
        envelope: 'error',
        example: errors.usernameRequired,
        use: 'What a route under `/auth` refuses: its input and credentials.',
      },
      {
        envelope: 'status',
        example: errors.tokenInvalid,
        use: 'Limits (429), access (401 and 403), and a part that is busy or away (503), on every route; all that a route under `/admin` and `/i` refuses.',
      },
      {
        envelope: 'message',
        example: notFound('GET', '/nowhere'),
        use: 'Unmatched paths, base routes, routes under `/images`, unexpected failures, and requests that are not valid HTTP. `stack` is the literal `N/A` unless `NODE_ENV` is `development`.',
      },
      { envelope: 'ok', example: statusErrors.forbidden, use: 'Every error of the status worker.' },
    ],
    limits: [
      ...rateLimitRows(rateLimitsOf(config)),
      { what: 'Requests that are held at a time', value: String(mostHeld), beyond: '503 with `Retry-After`' },
      { what: 'Username', value: `${usernameForm.minLength} to ${usernameForm.maxLength} characters`, beyond: '400' },
      {
        what: 'Password that is set',
        value: `${config.PASSWORD_MIN_LENGTH} characters to ${mostPasswordBytes} bytes`,
        beyond: '400',
      },
      { what: 'Users or events of a page', value: `1 to ${mostOfPage}, ${usualOfPage} by default`, beyond: '400' },
      { what: 'Images of a random answer', value: `1 to ${mostAtOnce}`, beyond: '400' },
      { what: 'Images of a page', value: `1 to ${mostOfImagePage}, ${usualOfImagePage} by default`, beyond: '400' },
      { what: 'Upload', value: bytes(config.UPLOAD_MAX_BYTES), beyond: '413' },
      { what: 'Name of an object', value: `${mostKeyBytes} bytes`, beyond: '400' },
      {
        what: 'Image that is kept in memory',
        value: bytes(mostHeldBytes),
        beyond: 'it is read from the store each time',
      },
      { what: 'Reason of a ban', value: `${mostReason} characters`, beyond: '400' },
      {
        what: 'Password hashes at a time',
        value: `${hashPlaces.slots} (one on a single core), and ${hashPlaces.queue} that wait`,
        beyond: '503 with `Retry-After`',
      },
    ],
    settings: sections,
    texts: { ...textsOf(config), BASE_URL: baseUrl },
  }
}

const limitHeaders = {
  'X-RateLimit-Limit': {
    description:
      'The maximum of the limit with the fewest left, or of the one that refuses. None of these headers where no limit holds',
    example: '1000',
  },
  'X-RateLimit-Remaining': { description: 'What is left of it', example: '987' },
  'X-RateLimit-Reset': { description: 'When it starts over, in seconds since 1970', example: '1780315320' },
  'Retry-After': { description: 'Seconds until it starts over', example: '42', status: 429 },
}

const whatIsLimited: Record<ScopeName, string> = {
  global: 'Requests of one address',
  auth: 'Requests of one address below `/auth/`',
  register: 'Registers of one address',
  login_address: 'Failed logins of one address',
  login_name: 'Failed logins at one username',
}

const rateLimitRows = (limits: Readonly<Record<ScopeName, Limit>>): LimitRow[] =>
  scopeNames
    .filter((name) => limits[name].max > 0)
    .map((name) => {
      const { max, windowMs, slow } = limits[name]
      const isSlow = slow !== null && slow.after < max
      const steps = isSlow
        ? `; each one after ${slow.after} is answered ${slow.stepMs} ms later, up to ${seconds(slow.capMs)}`
        : ''
      return { what: whatIsLimited[name], value: `${max} in ${seconds(windowMs)}${steps}`, beyond: '429' }
    })

export const referenceModel = (config: Config): Reference => describe(referenceInput(config))
export const makeDocuments = (config: Config): Documents => renderDocuments(referenceModel(config))
