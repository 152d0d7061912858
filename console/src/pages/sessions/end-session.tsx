import { useQueryClient } from '@tanstack/react-query'
import type { Schemas } from '../../../../client/src/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { passwordIn } from '../../parts/password-again.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.tsx'
import { useSignInOld } from '../../session/password.ts'
import { useSession } from '../../session/session.ts'

interface Props {
  readonly session: Schemas['ConsoleSession']
  readonly onClose: () => void
}

export function EndSession({ session: { id, browser, address }, onClose }: Props) {
  const { client } = useSession()
  const queries = useQueryClient()
  const { error, isBusy, passwordField, onSubmit } = useForm(
    async (form, ifShown) => {
      try {
        await client.auth.sessions.end(id, passwordIn(form))
        showToast(`${browser} has been signed out`)
        ifShown(onClose)
      } finally {
        void queries.invalidateQueries({ queryKey: ['sessions'] })
      }
    },
    { asksPassword: useSignInOld() },
  )
  return (
    <Dialog
      title={`Sign out ${browser}`}
      description={
        <p>
          Whoever uses it there, from {address}, must sign in again. If that was not you, change your password too: that
          also ends your API keys and embed links.
        </p>
      }
      isOpen
      onClose={onClose}
    >
      <form onSubmit={onSubmit}>
        {passwordField}
        {error !== null && <Failure error={error} />}
        <div className="actions">
          <ActButton type="submit" tone="danger" isBusy={isBusy}>
            Sign out
          </ActButton>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
