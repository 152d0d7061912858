import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.ts'
import { sessions } from '../../session/session.ts'

export function ChangePassword() {
  const { error, isBusy, onSubmit } = useForm(async (form) => {
    await sessions.changePassword(String(form.get('current')), String(form.get('new')))
    showToast('Password changed. Other sessions, API keys and embed links have ended.')
  })
  return (
    <form className="form" onSubmit={onSubmit}>
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
      <button type="submit" className="button is-main" disabled={isBusy}>
        Change password
      </button>
    </form>
  )
}
