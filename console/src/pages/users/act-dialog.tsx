import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { Client } from '../../../../client/src/client.ts'
import type { Role } from '../../../../src/accounts/roles.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { passwordIn } from '../../parts/password-again.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.tsx'
import { useShowSecret } from '../../parts/use-show-secret.ts'
import { isPasswordMissing } from '../../session/password.ts'
import { type User, useSession } from '../../session/session.ts'
import { ActFields } from './act-fields.tsx'
import type { AskedAction } from './rules.ts'

interface Props {
  readonly action: AskedAction
  readonly title: string
  readonly actor: User
  readonly user: User
  readonly onClose: () => void
}

const effects: Readonly<Record<AskedAction, string>> = {
  ban: 'Every request and login of the user is refused from now on.',
  role: "Takes effect on the user's next request.",
  rename: 'The old name is free again; the token of the user stays valid.',
  'sign out': "Ends the user's sign-ins, access token, API keys and embed links. The user may sign in again.",
  'reset password':
    "Gives the user a random password, which is shown once, and ends the user's sign-ins, access token, API keys and embed links. Earlier wrong passwords no longer count.",
  delete: 'Deletes the account, its API keys, embed links and counters for good.',
}

type Options = { readonly dryRun?: boolean }

interface Reply {
  readonly message: string
  /** Only of a reset. */
  readonly password?: string
}

function act(
  { admin }: Client,
  action: AskedAction,
  userId: string,
  form: FormData,
  options?: Options,
): Promise<Reply> {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  switch (action) {
    case 'ban': {
      const until = text('until')
      return admin.ban(
        {
          userId,
          ...(text('reason') !== '' && { reason: text('reason') }),
          ...(until !== '' && { until: new Date(until).toISOString() }),
        },
        options,
      )
    }
    case 'role':
      return admin.changeRole({ userId, role: text('role') as Role }, options)
    case 'rename':
      return admin.renameUser({ userId, newUsername: text('newUsername') }, options)
    case 'sign out':
      return admin.revokeToken({ userId }, options)
    case 'reset password':
      return admin.resetPassword({ userId, ...passwordIn(form) }, options)
    case 'delete':
      return admin.deleteUser({ userId }, options)
  }
}

type Known = Pick<User, 'username' | 'role'>

/** What another administrator has changed since the dialog was opened, and the act would undo or was not meant for. */
const changesOf = (seen: Known, present: Known): string =>
  (['username', 'role'] as const)
    .filter((name) => present[name] !== seen[name])
    .map((name) => `the ${name} is now ${present[name]}`)
    .join(', ')

const dangerous: readonly AskedAction[] = ['ban', 'sign out', 'reset password', 'delete']

/** Does a dry run when it opens, for what roles alone do not tell: another administrator may have been faster. */
export function ActDialog({ action, title, actor, user, onClose }: Props) {
  const { client } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const showSecret = useShowSecret()
  const seen = useRef<Known>(user)
  const rehearsal = useQuery({
    queryKey: ['dry run', action, user.id],
    queryFn: () => act(client, action, user.id, new FormData(), { dryRun: true }),
    enabled: action !== 'role' && action !== 'rename',
    gcTime: 0,
    staleTime: 0,
  })
  const showPresent = () => ['user', 'users', 'totals'].map((noun) => queries.invalidateQueries({ queryKey: [noun] }))
  const { error, isBusy, passwordField, onSubmit, ref, clear } = useForm(
    async (form, ifShown) => {
      try {
        const { user: present } = await client.admin.findUser({ userId: user.id })
        const changes = changesOf(seen.current, present)
        seen.current = present
        if (changes !== '')
          throw new Error(`Somebody has changed this user meanwhile: ${changes}. Do it again if it is still right.`)
        if (action === 'role' && form.get('role') === present.role)
          throw new Error(`${present.username} has this role already.`)
        if (action === 'rename' && String(form.get('newUsername')).trim() === present.username)
          throw new Error(`${present.username} has this name already.`)
        const reply = await act(client, action, user.id, form)
        showToast(
          action === 'rename' ? `${present.username} is now ${String(form.get('newUsername')).trim()}` : reply.message,
        )
        ifShown(() => {
          onClose()
          if (action === 'delete') void navigate({ to: '/users', replace: true })
        })
        if (reply.password !== undefined)
          showSecret({
            title: `Password of ${present.username}`,
            label: 'Password',
            secret: reply.password,
            note: 'The user should change it after signing in.',
          })
      } finally {
        showPresent()
      }
    },
    // A draft would keep the password.
    {
      asksPassword: isPasswordMissing(rehearsal.error),
      ...(action !== 'reset password' && { draft: `${action} ${user.id}` }),
    },
  )
  const refusal = isPasswordMissing(rehearsal.error) ? null : rehearsal.error
  // Runs once per refusal.
  useEffect(() => {
    if (rehearsal.error) showPresent()
  }, [rehearsal.error])
  return (
    <Dialog
      title={`${title}: ${user.username}`}
      description={<p className="note">{effects[action]}</p>}
      isOpen
      onClose={onClose}
    >
      <form onSubmit={onSubmit} ref={ref} onInvalidCapture={({ currentTarget }) => clear(currentTarget)}>
        <ActFields action={action} actor={actor} user={user} />
        {passwordField}
        {error !== null ? (
          <Failure error={error} />
        ) : (
          refusal && <Failure error={refusal} onRetry={() => void rehearsal.refetch()} />
        )}
        <div className="actions">
          <ActButton
            type="submit"
            tone={dangerous.includes(action) ? 'danger' : 'main'}
            isBusy={isBusy}
            isRefused={refusal !== null}
          >
            {title}
          </ActButton>
          <button type="button" className="button" data-first={action === 'delete' || undefined} onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
