import { type ApiRoute, defineApiRoute, publicPage } from '../../accounts/api-route.ts'
import type { Journal } from '../../accounts/journal.ts'
import type { PublicComponent } from '../../config/status-page.ts'
import type { Call } from '../../http/call.ts'
import { Refused, refuse } from '../../http/refusal.ts'
import { TextResponse } from '../../http/responses.ts'
import { mismatch, string, type TypeOf } from '../../http/schema.ts'
import { outage } from '../../status/acknowledgement-schemas.ts'
import { errors as workerErrors } from '../../status/errors.ts'
import { hashOfToken, linkPath, tokenPattern } from '../../status/links.ts'
import * as acts from '../admin-status/acts.ts'
import { errors } from '../admin-status/parts.ts'
import { tellLeader, writeErrors } from '../admin-status/tell-leader.ts'
import { askWorkers, findLeader, type Unanswered } from '../ask-workers.ts'

export interface AcknowledgeDeps {
  /** STATUS_WORKER_URL */
  readonly statusWorkers: readonly string[]
  readonly records: Pick<Journal, 'done'>
  /** STATUS_PAGE_COMPONENTS */
  readonly publicComponents: readonly PublicComponent[]
}

const type = 'text/html; charset=utf-8'
const headers = {
  'Content-Security-Policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; style-src 'self'; img-src 'self'; form-action 'self'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}
const shown = (status: number, text: string) => new TextResponse(status, type, text, headers)

const pages = () => import('./page.ts')
const gone = async () => shown(404, (await pages()).gonePage())

/** A browser gets a failure as a page as well. */
async function asPage(call: Call, act: () => Promise<TextResponse>): Promise<TextResponse> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof Refused) || !call.req.headers.accept?.includes('text/html')) throw error
    const { refusal, message } = error
    const { forbiddenPage, laterPage } = await pages()
    const text = refusal === errors.changesForbidden ? forbiddenPage() : laterPage(message)
    return new TextResponse(refusal.status, type, text, { ...headers, ...refusal.headers, ...error.headers })
  }
}

/** The worker gets the hash alone, so that its log has no link. Null unless it is a token. */
const hashIn = ({ params }: Call): string | null => {
  const { token = '' } = params
  return new RegExp(tokenPattern).test(token) ? hashOfToken(token) : null
}

/** Null if the link is no longer valid. */
async function outageOf(hash: string, workers: readonly string[]): Promise<TypeOf<typeof outage> | null> {
  try {
    const reply: unknown = JSON.parse(await askWorkers([await findLeader(workers)], `/links/${hash}`))
    if (mismatch(outage, reply) === null) return reply as TypeOf<typeof outage>
  } catch (error) {
    if ((error as Unanswered).status === 404) return null
  }
  return refuse(errors.workerAway)
}

const labelOf = ({ publicComponents }: AcknowledgeDeps, componentId: string): string =>
  publicComponents.find(({ id }) => id === componentId)?.label ?? componentId

async function show(call: Call, deps: AcknowledgeDeps): Promise<TextResponse> {
  const hash = hashIn(call)
  const found = hash && (await outageOf(hash, deps.statusWorkers))
  if (!found) return gone()
  return shown(200, (await pages()).outagePage({ ...found, label: labelOf(deps, found.componentId) }))
}

async function acknowledge(call: Call, deps: AcknowledgeDeps): Promise<TextResponse> {
  const hash = hashIn(call)
  if (hash === null) return gone()
  const by = { actor: null, address: call.address, requestId: call.requestId }
  const tell = (order: acts.StatusAct) => tellLeader(deps.statusWorkers, order)
  try {
    const { componentId, acknowledgement } = await acts.carryOut(
      { records: deps.records, tell },
      by,
      acts.acknowledgeByLink(hash),
    )
    return shown(200, (await pages()).acknowledgedPage(labelOf(deps, componentId), acknowledgement.by))
  } catch (error) {
    const { refusal } = error instanceof Refused ? error : { refusal: null }
    if (refusal === workerErrors.unknownLink || refusal === workerErrors.notDown) return gone()
    if (refusal !== workerErrors.acknowledgedBefore) throw error
    const found = await outageOf(hash, deps.statusWorkers)
    if (found === null) return gone()
    return shown(200, (await pages()).outagePage({ ...found, label: labelOf(deps, found.componentId) }))
  }
}

const common = {
  ...publicPage,
  path: `${linkPath}:token`,
  hasSecretPath: true,
  params: { token: string({ description: 'From an alert', examples: ['x'.repeat(43)] }) },
  reply: [
    { status: 200, type },
    { status: 404, type, description: 'The outage is over, or the link is older than 7 days' },
    { status: 503, type, description: 'For a browser' },
  ],
} as const

/** The link in an alert: opening it changes nothing. */
export const acknowledgeRoutes: readonly ApiRoute<AcknowledgeDeps, unknown>[] = [
  defineApiRoute({
    ...common,
    operationId: 'showAcknowledgement',
    summary: 'Show the outage that a link in an alert acknowledges, with a button',
    description: 'Changes nothing, since chats and mail scanners open links.',
    errors: [errors.workerAway],
    handle: (call, deps: AcknowledgeDeps) => asPage(call, () => show(call, deps)),
  }),
  defineApiRoute({
    ...common,
    method: 'POST',
    operationId: 'acknowledgeByLink',
    summary: 'Acknowledge an outage by a link in an alert',
    description:
      'A link is good for one outage until it ends, for 7 days at most. The audit and the alert channels name the channel that it was sent to, since it proves no person.',
    reply: [...common.reply, { status: 504, type, description: 'For a browser' }],
    errors: [workerErrors.notSaved, ...writeErrors],
    handle: (call, deps: AcknowledgeDeps) => asPage(call, () => acknowledge(call, deps)),
  }),
]
