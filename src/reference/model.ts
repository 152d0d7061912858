import type { Settings } from '../config/parser.ts'
import { bounds } from '../http/bounds.ts'
import { envelopeOf, fillIn, renderError } from '../http/envelopes.ts'
import { protocolErrors } from '../http/errors.ts'
import type { Envelope, Refusal } from '../http/refusal.ts'
import { errorsOf, needsToken, type ReplySpec, type Route, repliesOf } from '../http/route.ts'
import { anywhereTitle, createAnchors, sectionTitle } from './anchors.ts'
import { exampleOf } from './example.ts'
import { markdownHeadings } from './headings.ts'
import { bytes, type LimitRow, protocolLimitRows } from './limit-rows.ts'
import { inputRows, replyRows, row } from './rows.ts'
import { bodyExample, paramSchema } from './samples/call.ts'
import { samplesOf } from './samples/samples.ts'
import { type SharedInput, shareErrors } from './shared-errors.ts'
import { slug, uniqueNames } from './slug.ts'

/** One program, at one address. */
export interface ServiceInput {
  readonly title: string
  readonly base: string
  /** The envelope for errors without a route; `ok` applies to all errors. */
  readonly envelope: Envelope
  /** Errors outside of its routes: an unmatched path, a forbidden address. */
  readonly errors: readonly Refusal[]
  /** The rate limits of a route. */
  limitsOf?(route: Route): readonly LimitRow[]
  /** Which API keys open a route; null: none. */
  keysOf?(route: Route): string | null
  /** Headers that any response may have. */
  readonly headers?: Readonly<Record<string, HeaderInput>>
}

export interface HeaderInput {
  readonly description: string
  readonly example: string
  /** The only status that has this header. */
  readonly status?: number
}

export interface Group {
  readonly title: string
  readonly description: string
  readonly service: ServiceInput
  readonly routes: readonly Route[]
}

type Texts = Readonly<Record<string, string>>

export interface ReferenceInput {
  readonly title: string
  readonly version: string
  readonly summary: string
  /** SPDX identifier. */
  readonly license: string
  readonly author: string
  readonly token: { readonly format: string; readonly description: string }
  /** Markdown with chapters from `##`; `<NAME>` is replaced with the setting. */
  readonly intro: string
  /** Markdown, starting with its title. */
  readonly decisions: string
  readonly groups: readonly Group[]
  readonly shapes: readonly { readonly envelope: Envelope; readonly example: Refusal; readonly use: string }[]
  readonly sharedErrors: readonly SharedInput[]
  readonly limits: readonly LimitRow[]
  readonly settings: Readonly<Record<string, Settings>>
  /** Values for `<NAME>`. */
  readonly texts: Texts
}

/** The content of the documents, without their layout. */
export type Reference = ReturnType<typeof describe>
export type GroupView = Reference['groups'][number]
export type RouteView = GroupView['routes'][number]
export type ReplyView = RouteView['replies'][number]
export type ErrorView = ReturnType<typeof errorView>
export type SettingView = Reference['settings'][number]['settings'][number]

/** Listed with their routes, since they need a body, a strict query or a database. */
const notAnywhere: readonly Refusal[] = [
  protocolErrors.badEncoding,
  protocolErrors.badJson,
  protocolErrors.badType,
  protocolErrors.tooLarge,
  protocolErrors.unknownParameter,
  protocolErrors.unavailable,
]

const openings = {
  markdown:
    'Each chapter lists its routes; `/docs` and `/openapi.json` also have an example of every call and reply. [The decisions](decisions.md), served at `/docs/decisions`, say how each part behaves.',
  errors:
    'An error has one of these shapes, and each route has a usual one. Below are the errors that any path may return, and in groups those that several routes share: the groups that are about access follow from the access of a route, the others are named there. A route lists the rest itself.',
  types:
    'What a route takes and replies is in the notation of TypeScript: `?` marks an optional field, `[X]` is an array, a `timestamp` is a string, and `<name>` stands for any name. 304 means that the client has the current version. Several replies contain these:',
  fields: 'A field with `*` has the same meaning at every route:',
  limits:
    'Every route of the API counts towards the requests per address; a route names the other limits that cover it.',
  settings:
    'Settings are environment variables, or lines of the file `.env` where the service starts; a restart applies them. An empty value counts as unset. An invalid one stops the start with a line that names it.',
  settingsElsewhere:
    '[settings.md](settings.md), `/docs#settings` and `.env.example` list them with defaults and formats.',
} as const

/** Requests anchors in the order of the Markdown. */
export function describe(input: ReferenceInput) {
  const { groups, shapes, sharedErrors, limits, settings, texts, ...rest } = input
  const intro = fillIn(rest.intro, texts)
  const { idOf, idsIn } = createAnchors(rest.title)
  const introIds = idsIn(intro)
  const groupViews = describeGroups(groups, texts, idOf)
  const errorsId = idOf('Errors')
  const anywhereViews = servicesOf(groups).map((service) => describeAnywhere(service, texts, idOf))
  const listed = groupViews.flatMap((group) => group.listed)
  const shared = shareErrors(sharedErrors, listed, texts, idOf)
  const chapterIds = { types: idOf('Types'), limits: idOf('Limits'), settings: idOf('Settings') }
  const sections = Object.entries(settings).map(([title, table]) => ({
    id: idOf(sectionTitle(title)),
    title,
    settings: Object.entries(table).map(([name, spec]) => ({ name, ...spec })),
  }))
  return {
    ...rest,
    ids: { intro: introIds, errors: errorsId, ...chapterIds, decisions: decisionIds(rest.decisions) },
    intro,
    groups: groupViews,
    anywhere: anywhereViews,
    sharedErrors: shared,
    shapes: shapes.map(({ envelope, example, use }) => ({
      envelope,
      body: renderError(envelope, example.status, fillIn(example.message, texts), 'N/A'),
      use,
    })),
    openings,
    limits: [...protocolLimitRows, ...limits],
    settings: sections,
  }
}

/** As in the file itself, which is a document of its own. */
function decisionIds(markdown: string): string[] {
  const nameOnce = uniqueNames()
  return markdownHeadings(markdown).map(({ text }) => nameOnce(slug(text)))
}

type IdOf = (heading: string) => string

const servicesOf = (groups: ReferenceInput['groups']) => [...new Set(groups.map(({ service }) => service))]

/** The source of one service's OpenAPI document. */
export function describeService(group: Group, texts: Texts) {
  const { idOf } = createAnchors(group.title)
  return {
    groups: describeGroups([group], texts, idOf),
    anywhere: [describeAnywhere(group.service, texts, idOf)],
  }
}

const describeGroups = (groups: ReferenceInput['groups'], texts: Texts, idOf: IdOf) =>
  groups.map(({ service, routes, ...group }) => {
    const id = idOf(group.title)
    const views = mergeByTemplate(routes).map((route) =>
      describeRoute(route, idOf(`${route.method} ${pathOf(route)}`), service, texts),
    )
    return { ...group, id, service, routes: views, listed: views.filter(({ route }) => !isFileOfPage(route)) }
  })

/** Only our own pages ask for it: OpenAPI has it, and no list for people. */
const isFileOfPage = ({ path }: Route) => /\.(?:css|js|svg)$|^\/console\/:/.test(path)

/** Errors that any path of a service may return. */
function describeAnywhere(service: ServiceInput, texts: Texts, idOf: IdOf) {
  const refusals = Object.values<Refusal>(protocolErrors).filter((refusal) => !notAnywhere.includes(refusal))
  const errors = [...refusals, ...service.errors].map((error) => errorView(error, null, service, texts))
  return { id: idOf(anywhereTitle(service.title)), service, errors: byStatus(errors) }
}

/** One route per template, with the errors of all routes that share it. */
function mergeByTemplate(routes: readonly Route[]): Route[] {
  const groups = Map.groupBy(routes, ({ method, path, template = path }) => `${method} ${template}`)
  return [...groups.values()].map((all) => {
    const [route] = all as [Route]
    if (route.template === undefined) return route
    const errors = all.flatMap((each) => each.errors).toSorted((a, b) => a.status - b.status)
    return { ...route, path: route.template, errors }
  })
}

function describeRoute(route: Route, id: string, service: ServiceInput, texts: Texts) {
  return {
    id,
    route,
    access: accessOf(route, service.keysOf?.(route) ?? null),
    /** Has `{name}` for a parameter. */
    path: pathOf(route),
    params: paramsOf(route).map(([name, schema]) => row(name, schema)),
    body: route.body ? inputRows(route.body) : [],
    bodyExample: bodyExample(route),
    /** Empty if there is no body. */
    bodyLimit: route.body ? bytes(route.bodyLimitBytes ?? bounds.bodyBytes) : '',
    limits: service.limitsOf?.(route) ?? [],
    query: route.query ? inputRows(route.query) : [],
    replies: fillInAll(repliesOf(route), texts).map((spec) => ({
      spec,
      /** Empty if there is no body. */
      types: typesOf(spec),
      rows: spec.schema ? replyRows(spec.schema) : [],
      /** Null if the reply is not JSON. */
      example: spec.schema ? exampleOf(spec.schema) : null,
    })),
    errors: errorsOf(route).map((error) => errorView(error, route, service, texts)),
    samples: samplesOf(route, service.base),
  }
}

/** The segments that the path leaves open. */
export const paramsOf = (route: Route) =>
  [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, paramSchema(route, name)] as const)

const accessOf = (route: Route, keys: string | null) => ({
  label: [route.access.label, ...(keys === null ? [] : [keys])].join('; '),
  needsToken: needsToken(route),
  takesKeys: keys !== null,
})

const fillInAll = <T>(data: T, texts: Texts): T =>
  JSON.parse(JSON.stringify(data), (_, value) => (typeof value === 'string' ? fillIn(value, texts) : value))

const typesOf = ({ schema, type, also = [] }: ReplySpec): readonly string[] =>
  [schema ? 'application/json' : type, ...also].flatMap((each) => (each ? [each.replace(/;.*/, '')] : []))

function errorView(refusal: Refusal, route: Route | null, service: ServiceInput, texts: Texts) {
  const message = fillIn(refusal.message, texts)
  const envelope = envelopeOf(refusal, route, service.envelope)
  return {
    status: refusal.status,
    message,
    envelope,
    /** The JSON body. */
    body: renderError(envelope, refusal.status, message, 'N/A'),
    when: refusal.when ?? '',
    headers: refusal.headers ?? {},
  }
}

const pathOf = ({ path }: Route) => path.replace(/:(\w+)/g, '{$1}')

const byStatus = (errors: ErrorView[]) => errors.toSorted((a, b) => a.status - b.status)
