import { type Guarded, onlyAdministrators } from '../accounts/access.ts'
import { type ApiRoute, defineApiRoute } from '../accounts/api-route.ts'
import type { KeyPassage } from '../accounts/limits.ts'
import type { Config } from '../config/config.ts'
import { readPackage } from '../config/package.ts'
import { rateLimitsOf } from '../config/rate-limits.ts'
import { array, boolean, integer, literal, nullable, number, object, oneOf, string } from '../http/schema.ts'
import type { Limiter } from '../limits/limiter.ts'
import { type ScopeName, scopeNames, scopeOfKey } from '../limits/scopes.ts'
import type { BaseDeps } from './base-routes.ts'
import { diskOf } from './disk.ts'
import { instanceName } from './own-health.ts'

export interface AdminServiceDeps extends Guarded, Pick<BaseDeps, 'clock' | 'startedAt'> {
  readonly config: Config
  readonly refused: Limiter['refused']
}

const service = object(
  {
    status: literal(200),
    version: string({ examples: ['0.3.0'] }),
    instance: string({
      description: 'The instance that replied, whose `uptimeSeconds` and `refused` these are',
      examples: ['api-web1-3000'],
    }),
    uptimeSeconds: number({ minimum: 0, examples: [4711.2] }),
    disk: nullable(
      object(
        {
          freeBytes: integer({ minimum: 0, examples: [21_474_836_480] }),
          totalBytes: integer({ minimum: 0, examples: [53_687_091_200] }),
        },
        { title: 'Disk', description: 'Of `DATA_DIR` on this instance; null if it cannot be read' },
      ),
    ),
    bucket: string({ description: 'The `bucketName` of images: `S3_BUCKET`', examples: ['images'] }),
    kinds: array(string({ examples: ['fox'] })),
    uploads: object(
      {
        maxBytes: integer({ minimum: 1, description: '`UPLOAD_MAX_BYTES`', examples: [20_971_520] }),
        imagesOnly: boolean({ description: '`CHOOSE_IMAGES_ONLY`', examples: [false] }),
        checkType: boolean({ description: '`UPLOAD_CHECK_TYPE`', examples: [false] }),
        stripMetadata: boolean({ description: '`UPLOAD_STRIP_METADATA`', examples: [false] }),
      },
      { title: 'UploadRules' },
    ),
    registration: oneOf(['open', 'closed'], { description: '`REGISTRATION`', examples: ['open'] }),
    passwordMinLength: integer({ minimum: 1, description: '`PASSWORD_MIN_LENGTH`', examples: [8] }),
    statusWorker: boolean({ description: 'Whether `STATUS_WORKER_URL` is set', examples: [true] }),
    statusPage: boolean({ description: 'Whether `/status` is served: `STATUS_PAGE`', examples: [true] }),
    limits: array(
      object(
        {
          scope: oneOf(scopeNames, { title: 'LimitScope', examples: ['global'] }),
          max: nullable(
            integer({
              minimum: 0,
              description: '0: unlimited; null for `key`: each key has its own',
              examples: [1000],
            }),
          ),
          windowSeconds: integer({ minimum: 1, examples: [120] }),
          refused: integer({ minimum: 0, description: 'Responses with status 429 since the start', examples: [0] }),
        },
        { title: 'LimitRefusals' },
      ),
    ),
  },
  { title: 'Service' },
)

const ofKeys = { max: null, windowMs: scopeOfKey(1).windowMs }

function limitsOf(config: Config, refused: Limiter['refused']) {
  const limits: Readonly<Record<ScopeName, { readonly max: number | null; readonly windowMs: number }>> = {
    ...rateLimitsOf(config),
    key: ofKeys,
  }
  return scopeNames.map((scope) => {
    const { max, windowMs } = limits[scope]
    return { scope, max, windowSeconds: windowMs / 1000, refused: refused[scope] }
  })
}

export const adminServiceRoute: ApiRoute<AdminServiceDeps, KeyPassage> = defineApiRoute({
  method: 'GET',
  path: '/admin/service',
  operationId: 'getService',
  summary: 'Show the installation',
  description:
    'Returns the version, uptime and disk of this instance, the rules for uploads, and how many requests each rate limit has refused.',
  access: onlyAdministrators,
  envelope: 'status',
  limit: null,
  counts: 'admin',
  audit: 'service.read',
  keyScope: 'admin:read',
  reply: { status: 200, schema: service },
  errors: [],
  handle: async (_call, { config, refused, clock, startedAt }: AdminServiceDeps) => ({
    status: 200,
    version: readPackage().version,
    instance: instanceName(config.PORT),
    uptimeSeconds: Math.round(clock.monotonic() - startedAt) / 1000,
    disk: await diskOf(config.DATA_DIR),
    bucket: config.S3_BUCKET,
    kinds: [...config.imageKinds],
    uploads: {
      maxBytes: config.UPLOAD_MAX_BYTES,
      imagesOnly: config.CHOOSE_IMAGES_ONLY,
      checkType: config.UPLOAD_CHECK_TYPE,
      stripMetadata: config.UPLOAD_STRIP_METADATA,
    },
    registration: config.REGISTRATION,
    passwordMinLength: config.PASSWORD_MIN_LENGTH,
    statusWorker: config.STATUS_WORKER_URL !== null,
    statusPage: config.STATUS_PAGE === 'on',
    limits: limitsOf(config, refused),
  }),
})
