import { useState } from 'react'
import { permitted } from '../../../../src/accounts/roles.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Page } from '../../parts/page.tsx'
import { useSession } from '../../session/session.ts'
import { CreateUser } from './create-user.tsx'
import { FindUser } from './find-user.tsx'
import { UserList } from './user-list.tsx'

/** Administrators see all users; support and moderators look one up. */
export function Users() {
  const { user } = useSession()
  const [isCreating, setIsCreating] = useState(false)
  if (!permitted.administer.includes(user.role))
    return (
      <Page title="Users">
        <FindUser />
      </Page>
    )
  const close = () => setIsCreating(false)
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
      {isCreating && (
        <Dialog title="Create user" isOpen onClose={close}>
          <CreateUser onClose={close} />
        </Dialog>
      )}
    </Page>
  )
}
