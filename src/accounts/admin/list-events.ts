import { choice, optional, parsed, type ValuesOf } from '../../http/fields.ts'
import { refuse } from '../../http/refusal.ts'
import { isId } from '../../lib/ids.ts'
import { readMoment } from '../../lib/timestamps.ts'
import { type AuditEvent, actions, outcomes } from '../audit.ts'
import type { Directory } from '../directory.ts'
import { exampleId } from '../schemas.ts'
import { errors } from './errors.ts'
import type { ReadDeps } from './identify.ts'
import { defaultPageSize } from './limits.ts'
import { cursorField, limitField, type Page, pageOf, readCursor } from './page.ts'

const sort = '-at'
/** Only as actors: as targets, these are ordinary names. */
const isTool = (actor: string | undefined): actor is string => actor === 'cli' || actor === 'system'
/** `<bucket>/<name>`: no username contains a slash, and no object name a control character. */
const isObject = (target: string | undefined): target is string =>
  target !== undefined && /^\P{Cc}+\/\P{Cc}+$/u.test(target)

export const eventFields = {
  id: parsed((text) => (isId(text) ? text : undefined), {
    invalid: errors.badEventId,
    description: 'Only this event',
    examples: [exampleId],
  }),
  actor: optional({
    empty: errors.emptyActor,
    description: 'Only acts by this account (id, name, or a former name that nobody has now), `cli` or `system`',
  }),
  target: optional({
    empty: errors.emptyTarget,
    description: 'Only acts on this account (id or name, as for `actor`), or on this object (`<bucket>/<name>`)',
  }),
  action: choice(actions, errors.badAction, { description: 'Only this action' }),
  outcome: choice(outcomes, errors.badOutcome, { description: 'Only this outcome' }),
  from: parsed((text) => readMoment(text)?.from, { invalid: errors.badFrom, description: 'Earliest time, inclusive' }),
  to: parsed((text) => readMoment(text)?.to, { invalid: errors.badTo, description: 'Latest time, inclusive' }),
  limit: limitField,
  cursor: cursorField,
}

export async function listEvents(
  { directory, journal }: ReadDeps,
  query: ValuesOf<typeof eventFields>,
): Promise<Page<AuditEvent>> {
  const { limit = defaultPageSize, id, action, outcome, from, to } = query
  const before = query.cursor === undefined ? null : readCursor(query.cursor, [sort])
  if (from !== undefined && to !== undefined && from > to) refuse(errors.badRange)
  await journal.flush()
  const actor = isTool(query.actor) ? [query.actor] : await idsOf(directory, query.actor)
  const target = isObject(query.target) ? [query.target] : await idsOf(directory, query.target)
  if (actor?.length === 0 || target?.length === 0) return { rows: [], next: null }
  const found = await directory.events({ id, actor, target, action, outcome, from, to, before, limit: limit + 1 })
  return pageOf(found, limit, (last) => ({ sort, value: last.at, id: last.id }))
}

/** The audit stores account ids. Empty if no account has or had that name. */
async function idsOf(directory: Directory, who: string | undefined): Promise<readonly string[] | undefined> {
  if (who === undefined) return undefined
  if (isId(who)) return [who]
  const user = await directory.find({ username: who })
  return user ? [user.id] : directory.formerly(who)
}
