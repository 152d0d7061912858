import { useState } from 'react'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { useForm } from '../../parts/use-form.tsx'
import { isAboutPassword } from '../../session/password.ts'
import { sessions, useSession } from '../../session/session.ts'

export function DeleteAccount() {
  const { client, user } = useSession()
  const [isOpen, setIsOpen] = useState(false)
  const { error, isBusy, onSubmit } = useForm(async (form) => {
    await client.auth.deleteAccount({ password: String(form.get('password')) })
    sessions.end('Your account has been deleted.')
  })
  return (
    <>
      <button type="button" className="button" onClick={() => setIsOpen(true)}>
        Delete account…
      </button>
      <Dialog
        title={`Delete your account: ${user.username}`}
        description={
          <p>
            Your API keys and embed links end, and your counters are deleted. Anyone can take the name. This cannot be
            undone.
          </p>
        }
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
      >
        <form onSubmit={onSubmit}>
          <input hidden readOnly autoComplete="username" value={user.username} />
          <Field label="Your own password" name="password" type="password" autoComplete="current-password" required />
          {error !== null && <Failure error={isAboutPassword(error) ? new Error('The password is wrong.') : error} />}
          <div className="actions">
            <ActButton type="submit" tone="danger" isBusy={isBusy}>
              Delete account
            </ActButton>
            <button type="button" className="button" onClick={() => setIsOpen(false)}>
              Cancel
            </button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
