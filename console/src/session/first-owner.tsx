import { MenagerieError } from '../../../client/src/client.ts'
import { ActButton } from '../parts/act-button.tsx'
import { Failure } from '../parts/failure.tsx'
import { Field, UsernameField } from '../parts/field.tsx'
import { useForm } from '../parts/use-form.tsx'
import { EntryForm } from './entry-form.tsx'
import { codeIn } from './first-owner-form.ts'
import { NewPassword } from './new-password.tsx'
import { sessions } from './session.ts'

/** The service says so in the page, only to a browser on its own machine and while there is no owner. */
let offer = document.querySelector<HTMLMetaElement>('meta[name="offer"]')?.content
export const isOwnerMissing = () => offer === 'first owner'

/** Nobody but a registered user can sign in then. */
export const ClosedNotice = () =>
  offer === 'closed' && (
    <p className="notice">
      The service has no owner yet, and the form for one is closed: 30 minutes have passed since the start, or five
      codes were wrong. Restart the service for a new code, or run <OwnerCommand />.
    </p>
  )

const OwnerCommand = () => (
  <>
    the command that it printed beside the code, <code>owner create</code>
  </>
)

const statusOf = (error: unknown) => (error instanceof MenagerieError ? error.status : 0)
const whereCodeIs = 'The code is in the terminal where the service was started, or in its log.'

/** What the service says to programs, for people. */
function explained(error: unknown): unknown {
  if (statusOf(error) === 404)
    return new Error(
      'The form is closed: 30 minutes have passed since the start, five codes were wrong, or there is an owner by now. Restart the service for a new code, or reload this page to sign in.',
    )
  return statusOf(error) === 401 ? new Error(`This is not the code. ${whereCodeIs}`) : error
}

const codeRule = '16 letters and digits'

/** `onLeave`: shows the form for signing in. */
export function FirstOwner({ onLeave }: { readonly onLeave: () => void }) {
  const { error, isBusy, onSubmit, clear } = useForm(async (form) => {
    const text = (name: string) => String(form.get(name))
    const [username, password] = [text('username').trim(), text('password')]
    await sessions.createFirstOwner({ code: codeIn(text('code')) ?? '', username, password })
    offer = 'none'
    // If this fails, the form for signing in remains.
    await sessions.signIn(username, password).finally(onLeave)
  })

  return (
    <EntryForm title="First owner" onSubmit={onSubmit} onChange={clear}>
      <p className="notice">
        The service has no owner yet. When it started, it printed a code for this form in the terminal (its log).
      </p>
      <Field
        label="Code"
        name="code"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        hint={`${codeRule}, good for 30 minutes. After a restart, there is a new one.`}
        onInput={({ currentTarget }) => {
          const isRight = currentTarget.value === '' || codeIn(currentTarget.value) !== null
          currentTarget.setCustomValidity(
            isRight ? '' : `The code has ${codeRule}, and never l, o, 0 or 1. ${whereCodeIs}`,
          )
        }}
        required
        autoFocus
      />
      <UsernameField label="Username" name="username" autoComplete="username" />
      <NewPassword />
      {error !== null && <Failure error={explained(error)} />}
      {statusOf(error) === 429 && (
        <p className="notice">
          You need not wait: restart the service, which prints a new code, or run <OwnerCommand />.
        </p>
      )}
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
    </EntryForm>
  )
}
