import { useEffect } from 'react'
import { MenagerieError } from '../../../client/src/client.ts'
import { ActButton } from '../parts/act-button.tsx'
import { Failure } from '../parts/failure.tsx'
import { Field, UsernameField } from '../parts/field.tsx'
import { passwordRule } from '../parts/password-rule.ts'
import { Site, titleOf } from '../parts/site.tsx'
import { useForm } from '../parts/use-form.ts'
import { sessions } from './session.ts'

/** The service says so in the page, only to a browser on its own machine and while there is no owner. */
let isMissing = document.querySelector<HTMLMetaElement>('meta[name="offer"]')?.content === 'first owner'
export const isOwnerMissing = () => isMissing

const isGone = (error: unknown) => error instanceof MenagerieError && error.status === 404
const gone = new Error(
  'The code has ended, or there is an owner by now. Reload this page, or restart the service for a new code.',
)

/** `onLeave`: shows the form for signing in. */
export function FirstOwner({ onLeave }: { readonly onLeave: () => void }) {
  const { error, isBusy, onSubmit } = useForm(async (form) => {
    const text = (name: string) => String(form.get(name))
    const [username, password] = [text('username'), text('password')]
    await sessions.createFirstOwner({ code: text('code'), username, password })
    isMissing = false
    // If this fails, the form for signing in remains.
    await sessions.signIn(username, password).finally(onLeave)
  })
  useEffect(() => {
    document.title = titleOf('First owner')
  }, [])

  return (
    <main className="sign-in">
      <form onSubmit={onSubmit}>
        <p className="brand">
          <Site />
        </p>
        <h1>First owner</h1>
        <p className="notice">The service has no owner yet. At its start it has logged a code for this form.</p>
        <Field
          label="Code"
          name="code"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          hint="16 characters, good for 30 minutes. After a restart, the log shows a new one."
          required
          autoFocus
        />
        <UsernameField label="Username" name="username" autoComplete="username" />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          hint={`${passwordRule}.`}
          required
        />
        {error !== null && <Failure error={isGone(error) ? gone : error} />}
        <div className="actions">
          <ActButton type="submit" tone="main" isBusy={isBusy}>
            Create owner
          </ActButton>
          <button type="button" className="button" onClick={onLeave}>
            Sign in instead
          </button>
        </div>
        <p className="note">
          <a href="docs">Reference</a> · <a href="status">Status</a>
        </p>
      </form>
    </main>
  )
}
