import { useState } from 'react'
import { permitted } from '../../../../src/accounts/roles.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Page } from '../../parts/page.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { useSession } from '../../session/session.ts'
import { CreateUser, type NewUser } from './create-user.tsx'
import { FindUser } from './find-user.tsx'
import { UserList } from './user-list.tsx'

/** Administrators see all users; support and moderators look one up. */
export function Users() {
  const { user } = useSession()
  const [isCreating, setIsCreating] = useState(false)
  /** With a password to hand over. Kept here, in case the dialog is closed while the user is created. */
  const [made, setMade] = useState<NewUser | null>(null)
  if (!permitted.administer.includes(user.role))
    return (
      <Page title="Users">
        <FindUser />
      </Page>
    )
  const close = () => {
    setIsCreating(false)
    setMade(null)
  }
  return (
    <Page
      title="Users"
      actions={
        <button type="button" className="button is-main" onClick={() => setIsCreating(true)}>
          Create user
        </button>
      }
    >
      <UserList />
      {isCreating && !made && (
        <Dialog title="Create user" isOpen onClose={close}>
          <CreateUser onMade={(user) => (user.password ? setMade(user) : close())} />
        </Dialog>
      )}
      {made?.password && (
        <SecretDialog title={`Password of ${made.username}`} label="Password" secret={made.password} onClose={close} />
      )}
    </Page>
  )
}
