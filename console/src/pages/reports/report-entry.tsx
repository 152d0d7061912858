import type { Schemas } from '../../../../client/src/client.ts'
import { permitted, type Role } from '../../../../src/accounts/roles.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { imagePath } from '../../parts/image-path.ts'
import { Picture } from '../../parts/picture.tsx'
import { Time } from '../../parts/time.tsx'

export type Action = Schemas['ReportAction']

interface Props {
  readonly report: Schemas['Report']
  readonly role: Role
  readonly isBusy: boolean
  readonly onAct: (action: Action | 'unhide') => void
}

const labels = [
  ['keep', 'Keep', permitted.moderate],
  ['hide', 'Hide', permitted.moderate],
  ['delete', 'Delete', permitted.administer],
] as const

export function ReportEntry({ report, role, isBusy, onAct }: Props) {
  const { name, image, hidden, state, count, reasons, etag, createdAt, action, resolvedAt } = report
  return (
    <li className="report">
      <div className="report-picture">
        {image ? (
          <Picture key={image.etag} image={image} alt={name} view="tile" />
        ) : (
          <p className="placeholder">{hidden ? 'Hidden' : 'Deleted'}</p>
        )}
      </div>
      <div>
        <h2>
          {image ? (
            <a href={imagePath(name, image.etag)} target="_blank" rel="noreferrer">
              <bdi>{name}</bdi>
            </a>
          ) : (
            <bdi>{name}</bdi>
          )}
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
            labels.map(([act, label, deciders]) => {
              const isRefused = !deciders.includes(role)
              return (
                <ActButton
                  key={act}
                  tone={act === 'delete' ? 'danger' : undefined}
                  isBusy={isBusy}
                  isRefused={isRefused}
                  aria-describedby={isRefused ? 'only-administrators' : undefined}
                  onClick={() => onAct(act)}
                >
                  {label}
                  <span className="hidden"> {name}</span>
                </ActButton>
              )
            })}
          {hidden && (
            <ActButton isBusy={isBusy} onClick={() => onAct('unhide')}>
              Show again<span className="hidden"> {name}</span>
            </ActButton>
          )}
        </div>
      </div>
    </li>
  )
}
