import { useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { showFailure, showToast, showUndo } from '../../parts/toasts.tsx'
import { type User, useSession } from '../../session/session.ts'
import type { Action, AskedAction } from './rules.ts'

/** Apart, since the overview needs them only once somebody is found. */
const load = () => import('./act-dialog.tsx')
const ActDialog = lazy(async () => ({ default: (await load()).ActDialog }))

export const labels: Readonly<Record<Action, string>> = {
  ban: 'Ban',
  unban: 'Unban',
  role: 'Change role',
  rename: 'Rename',
  'sign out': 'Revoke all access',
  'reset password': 'Reset password',
  delete: 'Delete',
}

/** On a button: with dots if it opens a dialog. */
export const buttonLabel = (action: Action) => (action === 'unban' ? labels.unban : `${labels[action]}…`)

export const actsOn = ({ banned }: Pick<User, 'banned'>): readonly Action[] => [
  banned ? 'unban' : 'ban',
  'role',
  'rename',
  'sign out',
  'reset password',
  'delete',
]

/** Their buttons are red. */
export const redActs: readonly Action[] = ['ban', 'delete']

export type UserActs = ReturnType<typeof useUserActs>

/** The dialogs of acts on users, and what needs none. */
export function useUserActs() {
  const { client, user: actor } = useSession()
  const queries = useQueryClient()
  const [opened, setOpened] = useState<{ readonly action: AskedAction; readonly user: User } | null>(null)

  // Before the first click.
  useEffect(() => void load().catch(() => {}), [])

  async function atOnce(send: () => Promise<{ readonly message: string }>, undo?: () => void) {
    try {
      const { message } = await send()
      if (undo) showUndo(message, undo)
      else showToast(message)
    } catch (error) {
      showFailure(error)
    } finally {
      for (const noun of ['user', 'users', 'totals', 'audit']) void queries.invalidateQueries({ queryKey: [noun] })
    }
  }
  const unban = (userId: string) => void atOnce(() => client.admin.unban({ userId }))
  /** Without a reason and an end. */
  const ban = (userId: string) =>
    void atOnce(
      () => client.admin.ban({ userId }),
      () => unban(userId),
    )

  /** Asks, unless the act gives something back. */
  const open = (action: Action, user: User) => (action === 'unban' ? unban(user.id) : setOpened({ action, user }))

  const dialogs: ReactNode = (
    <Suspense>
      {opened && (
        <ActDialog
          action={opened.action}
          title={labels[opened.action]}
          actor={actor}
          user={opened.user}
          onClose={() => setOpened(null)}
        />
      )}
    </Suspense>
  )
  return { actor, open, ban, dialogs }
}
