import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type Role, roles } from '../../../../src/accounts/roles.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field, Select, UsernameField } from '../../parts/field.tsx'
import { passwordRule } from '../../parts/password-rule.ts'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.tsx'
import { useShowSecret } from '../../parts/use-show-secret.ts'
import { useSession } from '../../session/session.ts'
import { mayCreate } from './rules.ts'

const duties: Partial<Record<Role, string>> = {
  support: 'Support finds users and reads the status',
  moderator: 'a moderator decides reports and hides images',
  admin: 'an admin acts on users, images and the status',
}

export function CreateUser({ onClose }: { readonly onClose: () => void }) {
  const { client, user: actor } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const showSecret = useShowSecret()
  const { error, isBusy, onSubmit, clear } = useForm(async (form, ifShown) => {
    const given = String(form.get('password'))
    const { user, message, password } = await client.admin.createUser({
      username: String(form.get('username')).trim(),
      role: form.get('role') as Role,
      ...(given !== '' && { password: given }),
    })
    const open = () => void navigate({ to: '/users/$userId', params: { userId: user.id } })
    showToast(message, { action: { label: 'Open', run: open } })
    ifShown(onClose)
    if (password) showSecret({ title: `Password of ${user.username}`, label: 'Password', secret: password })
    for (const noun of ['users', 'totals']) void queries.invalidateQueries({ queryKey: [noun] })
  })
  const offered = roles.filter((role) => mayCreate(actor.role, role))
  return (
    <form onSubmit={onSubmit} onInvalidCapture={({ currentTarget }) => clear(currentTarget)}>
      <UsernameField label="Username" name="username" autoComplete="off" />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        hint={`${passwordRule}. Leave it empty to have one made, which is shown once.`}
      />
      <Select
        label="Role"
        name="role"
        hint={`Each may do what those before it may. ${offered
          .map((role) => duties[role])
          .filter(Boolean)
          .join('; ')}.`}
        options={offered.map((role) => [role, role])}
      />
      {error !== null && <Failure error={error} />}
      <ActButton type="submit" tone="main" isBusy={isBusy}>
        Create
      </ActButton>
    </form>
  )
}
