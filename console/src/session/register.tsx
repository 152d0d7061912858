import { ActButton } from '../parts/act-button.tsx'
import { Failure, textOf } from '../parts/failure.tsx'
import { UsernameField } from '../parts/field.tsx'
import { useForm } from '../parts/use-form.tsx'
import { EntryForm } from './entry-form.tsx'
import { NewPassword } from './new-password.tsx'
import { sessions } from './session.ts'

/** For an account of one's own. `onLeave`: shows the form for signing in. */
export function Register({ onLeave }: { readonly onLeave: () => void }) {
  const { error, isBusy, isSlow, onSubmit, clear } = useForm(async (form) => {
    const [username, password] = [String(form.get('username')).trim(), String(form.get('password'))]
    await sessions.register(username, password)
    // If this fails, the form for signing in remains.
    const failed = (reason: unknown) => {
      throw new Error(`The account has been created; sign in to it. ${textOf(reason)}`)
    }
    await sessions.signIn(username, password).catch(failed).finally(onLeave)
  })

  return (
    <EntryForm title="Create an account" onSubmit={onSubmit} onChange={clear}>
      <UsernameField label="Username" name="username" autoComplete="username" autoFocus />
      <NewPassword />
      {error !== null && <Failure error={error} />}
      {isSlow && (
        <p className="notice" role="status">
          Waiting for the service. It delays accounts that follow another from the same address.
        </p>
      )}
      <div className="actions">
        <ActButton type="submit" tone="main" isBusy={isBusy}>
          Create account
        </ActButton>
        <button type="button" className="button" disabled={isBusy} onClick={onLeave}>
          Sign in instead
        </button>
      </div>
    </EntryForm>
  )
}
