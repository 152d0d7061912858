import { useQueryClient } from '@tanstack/react-query'
import { ActButton } from '../../parts/act-button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.ts'
import { sessions, useSession } from '../../session/session.ts'

export function ChangePassword() {
  const { user } = useSession()
  const queries = useQueryClient()
  const { error, isBusy, onSubmit } = useForm(
    async (form) => {
      await sessions.changePassword(String(form.get('current')), String(form.get('new')))
      for (const noun of ['me', 'keys', 'embed links']) void queries.invalidateQueries({ queryKey: [noun] })
      showToast('Password changed. Other sessions, API keys and embed links have ended.')
    },
    { hasPassword: true },
  )
  return (
    <form className="form" onSubmit={onSubmit}>
      {/* For password managers, which otherwise guess the account. */}
      <input hidden readOnly autoComplete="username" value={user.username} />
      <Field label="Current password" name="current" type="password" autoComplete="current-password" required />
      <Field
        label="New password"
        name="new"
        type="password"
        autoComplete="new-password"
        required
        hint="Ends your other sessions, and all your API keys and embed links."
      />
      {error !== null && <Failure error={error} />}
      <ActButton type="submit" tone="main" isBusy={isBusy}>
        Change password
      </ActButton>
    </form>
  )
}
