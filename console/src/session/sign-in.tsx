import { useEffect, useState } from 'react'
import { ActButton } from '../parts/act-button.tsx'
import { Failure } from '../parts/failure.tsx'
import { Field } from '../parts/field.tsx'
import { Site, titleOf } from '../parts/site.tsx'
import { ThemeSwitch } from '../parts/theme-switch.tsx'
import { hasDrafts, useForm } from '../parts/use-form.tsx'
import { isUnderWay, useUploads } from '../uploads/store.ts'
import { ClosedNotice } from './first-owner.tsx'
import { sessions } from './session.ts'

/** REGISTRATION, which the service writes into the page. */
const isOpen = document.querySelector<HTMLMetaElement>('meta[name="registration"]')?.content === 'open'

interface Props {
  /** Why the session before has ended. */
  readonly reason: string | null
  /** Shows the form for a new account. */
  readonly onRegister: () => void
}

export function SignIn({ reason, onRegister }: Props) {
  const { error, isBusy, isSlow, onSubmit } = useForm(
    (form) => sessions.signIn(String(form.get('username')).trim(), String(form.get('password'))),
    { isQuestion: true },
  )
  const waiting = useUploads().list.filter(isUnderWay).length
  const [isWritten, setIsWritten] = useState(false)
  useEffect(() => {
    document.title = titleOf('Sign in')
    setIsWritten(hasDrafts())
  }, [])

  return (
    <main className="sign-in">
      <form onSubmit={onSubmit}>
        <p className="brand">
          <Site />
        </p>
        <h1>Sign in</h1>
        {reason !== null && error === null && (
          <p className="notice" role="status">
            {reason}
            {isWritten && ' What you were writing is back when you sign in and open its form again.'}
          </p>
        )}
        {waiting > 0 && (
          <p className="notice">
            {waiting} {waiting === 1 ? 'upload waits' : 'uploads wait'} until you sign in again. Whoever else signs in
            ends them.
          </p>
        )}
        <Field label="Username" name="username" autoComplete="username" autoCapitalize="none" required autoFocus />
        <Field label="Password" name="password" type="password" autoComplete="current-password" required />
        {error !== null && <Failure error={error} />}
        {isSlow && (
          <p className="notice" role="status">
            Waiting for the service. It delays sign-ins that follow several others from the same address.
          </p>
        )}
        <div className="actions">
          <ActButton type="submit" tone="main" isBusy={isBusy}>
            Sign in
          </ActButton>
          {isOpen && (
            <button type="button" className="button" onClick={onRegister}>
              Create an account
            </button>
          )}
          <ThemeSwitch />
        </div>
        <ClosedNotice />
        <p className="note">
          {isOpen
            ? 'An administrator can reset a forgotten password.'
            : 'Accounts are created by an administrator, who can also reset a forgotten password.'}
        </p>
        <p className="note">
          <a href="docs">Reference</a> · <a href="status">Status</a>
        </p>
      </form>
    </main>
  )
}
