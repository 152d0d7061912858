import { useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { permitted, type Role } from '../../../../src/accounts/roles.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { DeleteHidden, showLabel } from '../../parts/delete-hidden.tsx'
import { HiddenPicture } from '../../parts/hidden-picture.tsx'
import { imagePath } from '../../parts/image-path.ts'
import { Picture } from '../../parts/picture.tsx'
import { Time } from '../../parts/time.tsx'
import { UserLink } from '../../parts/user-link.tsx'
import type { Action } from './use-report-acts.ts'

interface Props {
  readonly report: Schemas['Report']
  readonly role: Role
  /** Among other things: without the later reasons. */
  readonly isBrief?: boolean
  readonly isBusy: boolean
  readonly onAct: (action: Action) => void
  readonly onDelete?: () => void
}

const labels = [
  ['keep', 'Keep', permitted.moderate],
  ['hide', 'Hide', permitted.moderate],
  ['delete', 'Delete…', permitted.administer],
] as const

const outcomes = { keep: 'kept', hide: 'hidden', delete: 'deleted' } as const

const briefReasons = 2

/** The content of an entry of a list. */
export function ReportEntry({ report, role, isBrief = false, isBusy, onAct, onDelete }: Props) {
  const { name, image, hidden, state, count, reasons, etag, createdAt, action, resolvedAt, resolvedBy } = report
  const Heading = isBrief ? 'h3' : 'h2'
  const isOpen = state === 'open'
  const [isGone, setIsGone] = useState(false)
  const noteGone = () => setIsGone(true)
  const isOffered = ([act]: (typeof labels)[number]) => {
    if (act === 'hide') return !hidden && (isOpen || image !== null)
    return isOpen && (act === 'keep' || onDelete !== undefined)
  }
  return (
    <>
      <div className="report-picture">
        {image ? (
          <Picture key={image.etag} image={image} alt={name} view="tile" />
        ) : hidden ? (
          <HiddenPicture key={name} name={name} isGone={isGone} onGone={noteGone} />
        ) : (
          <p className="placeholder">Deleted</p>
        )}
      </div>
      <div className="report-text">
        <Heading>
          {image ? (
            <a href={imagePath(name, image.etag)} target="_blank" rel="noreferrer">
              <bdi>{name}</bdi>
            </a>
          ) : (
            <bdi>{name}</bdi>
          )}
        </Heading>
        <p className="note">
          Reported by {count === 1 ? 'one user' : `${count} users`}, first <Time at={createdAt} />.
          {image && image.etag !== etag && ' The image was replaced since.'}
          {hidden && ' It is hidden.'}
          {resolvedAt !== null && (
            <>
              {' '}
              Resolved <Time at={resolvedAt} />
              {resolvedBy !== null && (
                <>
                  {' '}
                  by <UserLink id={resolvedBy} />
                </>
              )}
              : {action && outcomes[action]}
              {action === 'hide' && !hidden && image && ', and shown again since'}.
            </>
          )}
        </p>
        <ul className="reasons">
          {reasons.slice(0, isBrief ? briefReasons : undefined).map(({ reason, at }) => (
            <li key={at + reason}>
              <span className="text" dir="auto">
                {reason}
              </span>
            </li>
          ))}
          {isBrief && reasons.length > briefReasons && (
            <li className="note">{reasons.length - briefReasons} more on the page of reports</li>
          )}
        </ul>
      </div>
      <div className="actions">
        {labels.filter(isOffered).map(([act, label, deciders]) => {
          const isRefused = !deciders.includes(role)
          return (
            <ActButton
              key={act}
              tone={act === 'delete' ? 'danger' : undefined}
              isBusy={isBusy}
              isRefused={isRefused}
              aria-describedby={isRefused ? 'only-administrators' : undefined}
              onClick={() => (act === 'delete' ? onDelete?.() : onAct(act))}
            >
              {hidden && act === 'keep' ? 'Leave hidden' : label}
              <span className="hidden"> {name}</span>
            </ActButton>
          )
        })}
        {hidden && (
          <ActButton isBusy={isBusy} onClick={() => onAct(isGone ? 'free' : 'unhide')}>
            {showLabel(isGone)}
            <span className="hidden"> {name}</span>
          </ActButton>
        )}
        {hidden && !isOpen && !isGone && <DeleteHidden name={name} onDeleted={noteGone} />}
      </div>
    </>
  )
}
