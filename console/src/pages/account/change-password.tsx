import { useQueryClient } from '@tanstack/react-query'
import { ActButton } from '../../parts/act-button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { passwordRule } from '../../parts/password-rule.ts'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.tsx'
import { isAboutPassword } from '../../session/password.ts'
import { useSession } from '../../session/session.ts'

export function ChangePassword() {
  const { client, user } = useSession()
  const queries = useQueryClient()
  const { error, isBusy, onSubmit } = useForm(async (form) => {
    if (form.get('new') === form.get('current')) throw new Error('The new password is the same as the current one.')
    // The reply has a new token, which the console does not use.
    await client.auth.changePassword({
      currentPassword: String(form.get('current')),
      newPassword: String(form.get('new')),
    })
    for (const noun of ['me', 'keys', 'embed links', 'sessions']) void queries.invalidateQueries({ queryKey: [noun] })
    showToast('Password changed. Your other sign-ins, API keys and embed links have ended.')
  })
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
        hint={`${passwordRule}. A new one ends your other sign-ins, your token, and all your API keys and embed links.`}
      />
      {error !== null && (
        <Failure error={isAboutPassword(error) ? new Error('The current password is wrong.') : error} />
      )}
      <ActButton type="submit" tone="main" isBusy={isBusy}>
        Change password
      </ActButton>
    </form>
  )
}
