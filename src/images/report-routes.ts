import { type Guarded, onlyRoles, signedIn } from '../accounts/access.ts'
import { badCursor, cursorField, limitField, pageOf, readCursor } from '../accounts/admin/page.ts'
import { type ApiRoute, administration, defineApiRoute } from '../accounts/api-route.ts'
import type { KeyPassage } from '../accounts/limits.ts'
import { permitted } from '../accounts/roles.ts'
import { choice, fields, parsed, required, requiredChoice, strict } from '../http/fields.ts'
import { array, boolean, integer, literal, nullable, object, oneOf, string, timestamp } from '../http/schema.ts'
import { readStorable } from '../lib/read-text.ts'
import { isoTime } from '../lib/timestamps.ts'
import { type BaseUrl, describeImage, descriptor } from './descriptor.ts'
import { errors, maxReasonLength } from './errors.ts'
import { defaultPageSize, nextCursor } from './list-images.ts'
import { parseKey } from './names.ts'
import { type KnownImages, reportImage } from './report-image.ts'
import { type Report, reportActions } from './reports.ts'
import { type ModerationDeps, resolveReport } from './resolve-report.ts'

export interface ReportDeps extends ModerationDeps, Guarded {
  readonly baseUrl: BaseUrl
}

const id = (description: string) => string({ description, examples: ['019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3'] })
export const nameField = required(errors.nameRequired, {
  description: 'Kind and file name, as in the descriptor',
  examples: ['fox/fox-at-dusk.png'],
})

const report = object(
  {
    id: id('Id of the entry, which combines all reports of an image until they are resolved'),
    name: string({ examples: ['fox/fox-at-dusk.png'] }),
    etag: string({
      description:
        'ETag of the image when it was first reported; a different one in `image` means that it has been replaced since',
      examples: ['9b2cf535f27731c974343645a3985328'],
    }),
    image: nullable(descriptor),
    hidden: boolean({ description: 'Whether the image is hidden now', examples: [false] }),
    state: oneOf(['open', 'closed'], { title: 'ReportState', examples: ['open'] }),
    count: integer({ minimum: 1, description: 'Users who reported it', examples: [1] }),
    reasons: array(
      object(
        {
          userId: id('Id of the user who reported it'),
          username: string({ examples: ['alice'] }),
          reason: string({ examples: ['Not a fox'] }),
          at: timestamp(),
        },
        { title: 'ReportReason' },
      ),
      { description: 'The newest ten, newest first; those of deleted users are removed' },
    ),
    createdAt: timestamp(),
    updatedAt: timestamp({ description: 'When it was last reported' }),
    action: nullable(oneOf(reportActions, { title: 'ReportAction', description: 'Null while it is open' })),
    resolvedAt: nullable(timestamp()),
    resolvedBy: nullable(id('Id of the moderator')),
  },
  { title: 'Report', description: '`image` is null if the image is deleted or hidden' },
)

function toReport({
  baseUrl,
  catalogue,
  kinds,
}: Pick<ReportDeps, 'baseUrl'> & Pick<KnownImages, 'catalogue' | 'kinds'>) {
  return ({ isHidden, resolution, createdAt, updatedAt, reasons, ...rest }: Report) => {
    const image = parseKey(kinds, rest.name)
    const entry = image && catalogue.find(image.kind, image.filename)
    return {
      ...rest,
      image: image && entry && describeImage(baseUrl, { kind: image.kind, entry }),
      hidden: isHidden,
      state: resolution ? 'closed' : 'open',
      reasons: reasons.map((each) => ({ ...each, at: isoTime(each.at) })),
      createdAt: isoTime(createdAt),
      updatedAt: isoTime(updatedAt),
      action: resolution?.action ?? null,
      resolvedAt: resolution ? isoTime(resolution.at) : null,
      resolvedBy: resolution?.by ?? null,
    }
  }
}

export const moderating = {
  access: onlyRoles(permitted.moderate),
  ...administration,
} as const

const done = { keep: 'kept', hide: 'hidden', delete: 'deleted' } as const
const sorts = { open: 'createdAt', closed: '-resolvedAt' } as const

export const reportRoutes: readonly ApiRoute<ReportDeps, KeyPassage>[] = [
  defineApiRoute({
    method: 'POST',
    path: '/images/report',
    operationId: 'reportImage',
    summary: 'Report an image',
    description:
      'Tells the moderators; the image stays until one of them decides. Until then, a user can report it only once.',
    access: signedIn,
    envelope: 'status',
    limit: 'report',
    counts: 'images',
    audit: 'report',
    keyScope: 'images',
    body: fields({
      name: nameField,
      reason: {
        ...parsed((text) => (text.trim() === '' ? undefined : readStorable(maxReasonLength)(text)), {
          maxLength: maxReasonLength,
          invalid: errors.badReason,
          isStrict: true,
          description: 'What is wrong with it; moderators can read it',
          examples: ['Not a fox'],
        }),
        absent: errors.reasonRequired,
      },
    }),
    reply: {
      status: 201,
      schema: object({ status: literal(201), message: literal('Image reported') }, { title: 'ImageReported' }),
    },
    errors: [errors.imageNotFound, errors.alreadyReported],
    async handle({ actor, body: { name, reason = '' } }, deps: ReportDeps) {
      await reportImage(deps, actor, { name, reason })
      return { status: 201, message: 'Image reported' }
    },
  }),
  defineApiRoute({
    ...moderating,
    method: 'GET',
    path: '/admin/reports',
    operationId: 'listReports',
    summary: 'List reports of images',
    description: 'One entry for each image, paginated: open ones oldest first, closed ones newest first.',
    audit: 'reports.read',
    keyScope: 'admin:read',
    query: strict(
      fields({
        state: choice(['open', 'closed'], errors.badState, { default: 'open', title: 'ReportState' }),
        limit: limitField,
        cursor: cursorField,
      }),
    ),
    isCompressed: true,
    reply: {
      status: 200,
      schema: object(
        {
          status: literal(200),
          reports: array(report),
          next: nextCursor,
        },
        { title: 'ReportPage' },
      ),
    },
    errors: [badCursor],
    async handle({ query: { state = 'open', limit = defaultPageSize, cursor } }, deps: ReportDeps) {
      const sort = sorts[state]
      const after = cursor === undefined ? null : readCursor(cursor, [sort])
      const position = after && { value: Number(after.value), id: after.id }
      const found = await deps.reports.page({ isOpen: state === 'open', after: position, limit: limit + 1 })
      const { rows, next } = pageOf(found, limit, (last) => {
        return { sort, value: last.resolution?.at ?? last.createdAt, id: last.id }
      })
      return { status: 200, reports: rows.map(toReport(deps)), next }
    },
  }),
  defineApiRoute({
    ...moderating,
    method: 'POST',
    path: '/admin/reports/:id/resolve',
    params: { id: id('Id of the report') },
    operationId: 'resolveReport',
    summary: 'Resolve a report',
    description:
      '`keep` only closes the report. `hide` removes the image from random choices, lists, embed links and `/i` until `POST /admin/images/unhide`; an upload of the same name stays hidden. `delete`, for admin and owner, deletes the object.',
    audit: 'resolve-report',
    keyScope: null,
    body: fields({
      action: requiredChoice(reportActions, errors.actionRequired, errors.badAction, { title: 'ReportAction' }),
    }),
    reply: {
      status: 200,
      schema: object(
        { status: literal(200), message: string({ examples: ['Image fox/fox-at-dusk.png has been kept'] }), report },
        { title: 'ResolvedReport' },
      ),
    },
    errors: [errors.cannotDelete, errors.reportNotFound, errors.alreadyResolved],
    async handle({ actor, params, body: { action } }, deps: ReportDeps) {
      const resolved = await resolveReport(deps, actor, { id: params.id as string, action })
      return {
        status: 200,
        message: `Image ${resolved.name} has been ${done[action]}`,
        report: toReport(deps)(resolved),
      }
    },
  }),
]
