import { bounds } from '../http/bounds.ts'
import type { Envelope } from '../http/refusal.ts'
import { bytes } from './limit-rows.ts'
import { routeErrors } from './markdown-errors.ts'
import { code, fence, plain } from './markdown-text.ts'
import { type GroupView, paramsOf, type Reference, type ReplyView, type RouteView } from './model.ts'
import { envelopeNames } from './shapes.ts'
import type { TypeText } from './type-text.ts'

type Printers = Pick<Reference, 'sharedErrors'> & { readonly types: TypeText }

export function groupChapter({ title, description, service, listed }: GroupView, printers: Printers): string {
  const usual = usualShape(listed)
  return [
    `## ${plain(title)}`,
    description && plain(description),
    `Address: ${code(service.base)}. Errors have the shape ${envelopeNames[usual]} unless a route says otherwise.`,
    ...listed.map((view) => routeSection(view, usual, printers)),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** That of most routes. */
function usualShape(views: readonly RouteView[]): Envelope {
  const routes = Map.groupBy(views, ({ route }) => route.envelope)
  return [...routes].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? 'message'
}

function routeSection(view: RouteView, usual: Envelope, { types, sharedErrors }: Printers): string {
  const { route, access, limits, samples } = view
  const limited = limits.filter(({ isEverywhere }) => !isEverywhere).map(({ what }) => plain(what))
  const call = route.samples && samples[0]?.codes[0]
  const sent = typesOf(view, types)
  return [
    `### ${route.method} ${view.path}`,
    `**${plain(route.summary)}.** ${plain(route.description ?? '')}`.trim(),
    `Access: ${plain(access.label)}.${limited.length > 0 ? ` [Limits](#limits): ${limited.join(', ')}.` : ''}`,
    ...(call ? [fence(call.language, call.code)] : []),
    fence('ts', sent),
    ...routeErrors(view, sharedErrors, usual),
  ].join('\n\n')
}

/** Everything that is sent and received. */
function typesOf({ route, bodyLimit, replies }: RouteView, types: TypeText): string {
  const { upload } = route
  return [
    ...paramsOf(route).map((param) => `path ${types.ofParam(param)}`),
    ...(route.query ? [`query ${types.ofInputs(route.query)}`] : []),
    ...(route.body ? [`body ${types.ofInputs(route.body)}${limitOf(bodyLimit)}`] : []),
    ...(upload ? [`body ${upload.types} // ${upload.description}`] : []),
    ...replies.map((reply) => replyOf(reply, types)),
  ].join('\n')
}

const usualLimit = bytes(bounds.bodyBytes)
const limitOf = (bodyLimit: string) => (bodyLimit === usualLimit ? '' : ` // At most ${bodyLimit}.`)

/** With JSON unless it says another type. */
function replyOf({ spec, types: media }: ReplyView, types: TypeText): string {
  const others = spec.schema ? media.slice(1) : media
  const parts = [String(spec.status), ...(spec.schema ? [types.ofReply(spec.schema)] : []), ...others]
  return `${parts.join(' ')}${spec.description && spec.status !== 304 ? ` // ${spec.description}` : ''}`
}
