import type { Schemas } from '../../../../client/src/client.ts'
import type { Role } from '../../../../src/accounts/roles.ts'
import { isAtLeast } from '../../navigation.ts'
import { Thumbnail } from '../../parts/thumbnail.tsx'
import { Time } from '../../parts/time.tsx'

export type Action = Schemas['ReportAction']

interface Props {
  readonly report: Schemas['Report']
  readonly role: Role
  readonly isBusy: boolean
  readonly onAct: (action: Action | 'unhide') => void
}

const labels = [
  ['keep', 'Keep', 'moderator'],
  ['hide', 'Hide', 'moderator'],
  ['delete', 'Delete', 'admin'],
] as const

export function ReportEntry({ report, role, isBusy, onAct }: Props) {
  const { name, image, hidden, state, count, reasons, etag, createdAt, action, resolvedAt } = report
  return (
    <li className="report">
      {image ? (
        <Thumbnail name={name} size={image.size} />
      ) : (
        <p className="thumbnail is-absent">{hidden ? 'Hidden' : 'Deleted'}</p>
      )}
      <div>
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <p className="note">
          Reported by {count === 1 ? 'one user' : `${count} users`}, first <Time at={createdAt} />.
          {image && image.etag !== etag && ' The image was replaced since.'}
          {resolvedAt !== null && (
            <>
              {' '}
              Resolved <Time at={resolvedAt} />: {action}.
            </>
          )}
        </p>
        <ul className="reasons">
          {reasons.map(({ reason, at }) => (
            <li key={at + reason}>
              <span className="text" dir="auto">
                {reason}
              </span>
            </li>
          ))}
        </ul>
        <div className="actions">
          {state === 'open' &&
            labels.map(([act, label, least]) => {
              const mayAct = isAtLeast(role, least)
              return (
                <button
                  key={act}
                  type="button"
                  className={act === 'delete' ? 'button is-danger' : 'button'}
                  disabled={isBusy}
                  {...(!mayAct && { 'aria-disabled': true, title: 'Only administrators delete images' })}
                  onClick={() => mayAct && onAct(act)}
                >
                  {label}
                  <span className="hidden"> {name}</span>
                </button>
              )
            })}
          {hidden && (
            <button type="button" className="button" disabled={isBusy} onClick={() => onAct('unhide')}>
              Show again<span className="hidden"> {name}</span>
            </button>
          )}
        </div>
      </div>
    </li>
  )
}
