import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Client } from '../../../../client/src/client.ts'
import type { Role } from '../../../../src/accounts/roles.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field, Select } from '../../parts/field.tsx'
import { exactTime } from '../../parts/time.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.ts'
import { serverNow } from '../../session/server-clock.ts'
import { type User, useSession } from '../../session/session.ts'
import { type Action, rolesToGive } from './rules.ts'

interface Props {
  readonly action: Action
  readonly title: string
  readonly actor: User
  readonly user: User
  readonly onClose: () => void
}

const effects: Readonly<Record<Action, string>> = {
  ban: 'Every request and login of the user is refused from now on.',
  unban: 'A token from before the ban works again.',
  role: "Takes effect on the user's next request.",
  rename: 'The old name is free again; the token of the user stays valid.',
  'sign out': "Ends the user's session, API keys and embed links. The user may sign in again.",
  delete: 'Deletes the account and its counters for good.',
}

type Options = { readonly dryRun?: boolean }

function act({ admin }: Client, action: Action, userId: string, form: FormData, options?: Options) {
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
    case 'unban':
      return admin.unban({ userId }, options)
    case 'role':
      return admin.changeRole({ userId, role: text('role') as Role }, options)
    case 'rename':
      return admin.renameUser({ userId, newUsername: text('newUsername') }, options)
    case 'sign out':
      return admin.revokeToken({ userId }, options)
    case 'delete':
      return admin.deleteUser({ userId }, options)
  }
}

/** Asks the service with a dry run when it opens, for what the roles alone don't tell: another administrator was faster. */
export function ActDialog({ action, title, actor, user, onClose }: Props) {
  const { client } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isComplete = action !== 'role' && action !== 'rename'
  const rehearsal = useQuery({
    queryKey: ['dry run', action, user.id],
    queryFn: () => act(client, action, user.id, new FormData(), { dryRun: true }),
    enabled: isComplete,
    gcTime: 0,
    staleTime: 0,
  })
  const { error, isBusy, onSubmit } = useForm(async (form) => {
    try {
      const { message } = await act(client, action, user.id, form)
      showToast(message)
      onClose()
      if (action === 'delete') await navigate({ to: '/users' })
    } finally {
      // Whatever happened, show how it is now.
      await Promise.all(['user', 'users', 'totals'].map((noun) => queries.invalidateQueries({ queryKey: [noun] })))
    }
  })
  const refusal = error ?? rehearsal.error
  return (
    <Dialog
      title={`${title}: ${user.username}`}
      description={<p className="note">{effects[action]}</p>}
      isOpen
      onClose={onClose}
    >
      <form onSubmit={onSubmit}>
        {action === 'ban' && (
          <>
            <Field label="Reason" name="reason" maxLength={500} hint="Administrators can read it." />
            <Field
              label="End"
              name="until"
              type="datetime-local"
              hint={`Empty: until unbanned. By the service's clock it is ${exactTime(new Date(serverNow()).toISOString())}.`}
            />
          </>
        )}
        {action === 'role' && (
          <Select
            label="Role"
            name="role"
            defaultValue={user.role}
            options={rolesToGive(actor.role, user.role).map((role) => [role, role])}
          />
        )}
        {action === 'rename' && (
          <Field
            label="New username"
            name="newUsername"
            defaultValue={user.username}
            autoComplete="off"
            autoCapitalize="none"
            required
          />
        )}
        {refusal !== null && <Failure error={refusal} />}
        <div className="actions">
          <button
            type="submit"
            className={action === 'ban' || action === 'delete' ? 'button is-danger' : 'button is-main'}
            disabled={isBusy || (isComplete && rehearsal.error !== null)}
          >
            {title}
          </button>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
