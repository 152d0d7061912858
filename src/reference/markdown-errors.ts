import type { Envelope } from '../http/refusal.ts'
import { anywhereTitle } from './anchors.ts'
import { code, plain, table } from './markdown-text.ts'
import type { Reference, RouteView } from './model.ts'
import { envelopeNames } from './shapes.ts'
import { ownErrors, type SharedError, type SharedErrors } from './shared-errors.ts'

/** The groups of errors that the route shares, as links, and below them its own. `usual`: their shape in this chapter. */
export function routeErrors(view: RouteView, groups: readonly SharedErrors[], usual: Envelope): string[] {
  const { own, shared } = ownErrors(view, groups)
  const links = shared.filter(({ isOfAccess }) => !isOfAccess).map(({ label }) => `[${label}]`)
  if (links.length + own.length === 0) return []
  const { envelope } = view.route
  const shape = envelope === usual ? '' : ` as ${envelopeNames[envelope]}`
  const head = [`Errors${shape}`, ...(links.length > 0 ? [links.join(', ')] : [])].join(': ')
  return [`${head}${own.length > 0 ? ', and' : '.'}`, ...(own.length > 0 ? [errorList(own, envelope)] : [])]
}

/** A line per status. An error of another shape than `shape` names its own. */
export const errorList = (errors: readonly SharedError[], shape: Envelope | null): string =>
  [...Map.groupBy(errors, ({ status }) => status)]
    .toSorted(([a], [b]) => a - b)
    .map(([status, all]) => `- ${status} ${all.map((error) => errorText(error, shape)).join('; ')}`)
    .join('\n')

function errorText({ message, when, headers, envelope }: SharedError, shape: Envelope | null): string {
  const sent = Object.entries(headers).map(([name, value]) => `with ${code(`${name}: ${value}`)}`)
  const notes = [
    ...(envelope === null || envelope === shape ? [] : [envelopeNames[envelope]]),
    ...(when ? [plain(when)] : []),
    ...sent,
  ]
  return `${code(shortened(message))}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`
}

/** A long list of values stands in the type of the parameter. */
const shortened = (message: string) => message.replace(/(must be one of (?:[^,]+, ){3})(?:[^,]+, ){20,}.*/, '$1…')

export function errorChapter({ openings, shapes, anywhere, sharedErrors }: Reference): string {
  return [
    '## Errors',
    openings.errors,
    table(
      ['Name', 'Shape', 'Used for'],
      shapes.map(({ envelope, body, use }) => [envelopeNames[envelope], code(body), plain(use)]),
    ),
    ...anywhere.flatMap(({ service, errors }) => [
      `### ${plain(anywhereTitle(service.title))}`,
      errorList(errors, service.envelope),
    ]),
    ...sharedErrors.flatMap(({ title, errors }) => [`### ${plain(title)}`, errorList(errors, null)]),
  ].join('\n\n')
}

/** Where the labels of the groups lead. */
export const errorLinks = ({ sharedErrors }: Reference): string =>
  sharedErrors.map(({ label, id }) => `[${label}]: #${id}`).join('\n')
