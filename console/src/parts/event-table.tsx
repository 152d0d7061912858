import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../../client/src/client.ts'
import { actionNames } from './action-names.ts'
import { withFieldNames } from './sentences.ts'
import { isId, ShortId } from './short-id.tsx'
import { TableFrame } from './table-frame.tsx'
import { Time } from './time.tsx'
import { UserLink } from './user-link.tsx'

type Event = Schemas['AuditEvent']

const isTime = (text: string) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)

function Value({ value }: { readonly value: unknown }) {
  if (typeof value !== 'string') return value === null ? 'none' : JSON.stringify(value)
  if (isTime(value)) return <Time at={value} />
  return isId(value) ? <ShortId id={value} /> : value
}

/** `limitPerMinute` as words. */
const wordsOf = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** With the service's own words: what the console says of errors is said to the one who meets them. */
function outcomeText(outcome: string): string {
  const [, kind, said] = /^(refused|failed): (.+)$/s.exec(outcome) ?? []
  return said === undefined ? outcome : `${kind}: ${withFieldNames(said)}`
}

/** What changed, field by field, without those that have no value. */
export function Changes({ before, after }: Pick<Event, 'before' | 'after'>) {
  const [from, to] = [before ?? {}, after ?? {}] as Record<string, unknown>[]
  const names = [...new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})])].filter(
    (name) => (from?.[name] ?? to?.[name] ?? null) !== null,
  )
  return names.map((name) => {
    const was = from && name in from && (
      <del dir="auto">
        <Value value={from[name]} />
      </del>
    )
    const is = to && name in to && (
      <ins dir="auto">
        <Value value={to[name]} />
      </ins>
    )
    return (
      <div key={name} className="change">
        {wordsOf(name)}: {was}
        {was && is && ' → '}
        {is}
      </div>
    )
  })
}

export const EventTable = ({ events }: { readonly events: readonly Event[] }) => (
  <TableFrame label="Audit events" isWide>
    <thead>
      <tr>
        <th scope="col">When</th>
        <th scope="col">Action</th>
        <th scope="col">Outcome</th>
        <th scope="col">Actor</th>
        <th scope="col">Target</th>
        <th scope="col">Address</th>
        <th scope="col">Change</th>
      </tr>
    </thead>
    <tbody>
      {events.map(({ id, at, action, outcome, actor, target, address, count, before, after }) => (
        <tr key={id}>
          <td>
            <Link to="/audit" search={{ id }} title="Link to this event">
              <Time at={at} />
            </Link>
          </td>
          <th scope="row" title={action}>
            {actionNames[action] ?? action}
          </th>
          <td className="outcome">
            {outcomeText(outcome)}
            {count > 1 && ` × ${count}`}
          </td>
          <td className="is-name">{actor === null ? 'unknown' : <UserLink id={actor} />}</td>
          <td className="is-name">{target !== null && <UserLink id={target} />}</td>
          <td>{address}</td>
          <td>
            <Changes before={before} after={after} />
          </td>
        </tr>
      ))}
    </tbody>
  </TableFrame>
)
