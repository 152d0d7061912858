import { useState } from 'react'
import { ActButton } from '../../parts/act-button.tsx'
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

/** The acts on a user; forbidden ones say so before the click. */
export function UserActs({ actor, user }: Props) {
  const [opened, setOpened] = useState<Action | null>(null)
  const offered: readonly Action[] = [user.banned ? 'unban' : 'ban', 'role', 'rename', 'sign out', 'delete']
  const refused = offered.map((action) => refusalOf(action, actor, user))
  const reasons = [...new Set(refused.filter((refusal) => refusal !== null))]
  return (
    <>
      {offered.map((action, index) => {
        const refusal = refused[index] ?? null
        return (
          // The same button before and after the act, so that it keeps the focus.
          <ActButton
            key={action === 'unban' ? 'ban' : action}
            tone={action === 'delete' || action === 'ban' ? 'danger' : undefined}
            isRefused={refusal !== null}
            {...(refusal !== null && { 'aria-describedby': `refusal-${reasons.indexOf(refusal)}`, title: refusal })}
            onClick={() => setOpened(action)}
          >
            {labels[action]}
          </ActButton>
        )
      })}
      {reasons.length > 0 && (
        <p className="note refusals">
          {reasons.map((reason, index) => (
            <span key={reason} id={`refusal-${index}`}>
              {reason}.{' '}
            </span>
          ))}
        </p>
      )}
      {opened && (
        <ActDialog action={opened} title={labels[opened]} actor={actor} user={user} onClose={() => setOpened(null)} />
      )}
    </>
  )
}
