import { useQueryClient } from '@tanstack/react-query'
import { roles } from '../../../../src/accounts/roles.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field, Select } from '../../parts/field.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.ts'
import { useSession } from '../../session/session.ts'
import { mayCreate } from './rules.ts'

export function CreateUser({ onClose }: { readonly onClose: () => void }) {
  const { client, user: actor } = useSession()
  const queries = useQueryClient()
  const { error, isBusy, onSubmit } = useForm(async (form) => {
    const { user } = await client.admin.createUser({
      username: String(form.get('username')),
      password: String(form.get('password')),
      role: form.get('role') as 'user',
    })
    await queries.invalidateQueries({ queryKey: ['users'] })
    showToast(`User ${user.username} has been created`)
    onClose()
  })
  return (
    <Dialog title="Create user" isOpen onClose={onClose}>
      <form onSubmit={onSubmit}>
        <Field label="Username" name="username" autoComplete="off" autoCapitalize="none" required />
        <Field label="Password" name="password" type="password" autoComplete="new-password" required />
        <Select
          label="Role"
          name="role"
          options={roles.filter((role) => mayCreate(actor.role, role)).map((role) => [role, role])}
        />
        {error !== null && <Failure error={error} />}
        <button type="submit" className="button is-main" disabled={isBusy}>
          Create
        </button>
      </form>
    </Dialog>
  )
}
