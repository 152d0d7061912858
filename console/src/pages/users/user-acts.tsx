import { useState } from 'react'
import { ActButton } from '../../parts/act-button.tsx'
import { CopyField } from '../../parts/copy-field.tsx'
import { Dialog } from '../../parts/dialog.tsx'
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
  'reset password': 'Reset password',
  delete: 'Delete',
}

/** The acts on a user; forbidden ones say so before the click. */
export function UserActs({ actor, user }: Props) {
  const [opened, setOpened] = useState<Action | null>(null)
  /** Kept here, in case the dialog is closed while the password is reset. */
  const [made, setMade] = useState<string | null>(null)
  const offered: readonly Action[] = [
    user.banned ? 'unban' : 'ban',
    'role',
    'rename',
    'sign out',
    'reset password',
    'delete',
  ]
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
        <ActDialog
          action={opened}
          title={labels[opened]}
          actor={actor}
          user={user}
          onMade={setMade}
          onClose={() => setOpened(null)}
        />
      )}
      {made !== null && (
        <Dialog
          title={`Password of ${user.username}`}
          description={<p>Copy it now: it is not shown again. The user should change it after signing in.</p>}
          isOpen
          onClose={() => setMade(null)}
        >
          <CopyField label="Password" text={made} isNew />
        </Dialog>
      )}
    </>
  )
}
