import { useState } from 'react'
import type { User } from '../../session/session.ts'
import { ActDialog } from './act-dialog.tsx'
import { type Action, refusalOf } from './rules.ts'

interface Props {
  readonly actor: User
  readonly user: User
}

const labels: Readonly<Record<Action, string>> = {
  ban: 'Ban',
  unban: 'Unban',
  role: 'Change role',
  rename: 'Rename',
  'sign out': 'Sign out',
  delete: 'Delete',
}

/** What may be done to the user; what the rules forbid says so before it is clicked. */
export function UserActs({ actor, user }: Props) {
  const [opened, setOpened] = useState<Action | null>(null)
  const offered: readonly Action[] = [user.banned ? 'unban' : 'ban', 'role', 'rename', 'sign out', 'delete']
  const refused = offered.map((action) => refusalOf(action, actor, user))
  return (
    <>
      {offered.map((action, index) => {
        const refusal = refused[index] ?? null
        return (
          // The same button before and after, so that it keeps the focus.
          <span key={action === 'unban' ? 'ban' : action}>
            <button
              type="button"
              className={action === 'delete' || action === 'ban' ? 'button is-danger' : 'button'}
              {...(refusal !== null && {
                'aria-disabled': true,
                'aria-describedby': `refusal-${index}`,
                title: refusal,
              })}
              onClick={() => refusal === null && setOpened(action)}
            >
              {labels[action]}
            </button>
            {refusal !== null && (
              <span id={`refusal-${index}`} className="hidden">
                {refusal}
              </span>
            )}
          </span>
        )
      })}
      {refused.some((refusal) => refusal !== null) && (
        <p className="note refusals">{[...new Set(refused.filter((refusal) => refusal !== null))].join('. ')}.</p>
      )}
      {opened && (
        <ActDialog action={opened} title={labels[opened]} actor={actor} user={user} onClose={() => setOpened(null)} />
      )}
    </>
  )
}
