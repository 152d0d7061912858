import { useState } from 'react'
import { isAtLeast } from '../../navigation.ts'
import { Page } from '../../parts/page.tsx'
import { useSession } from '../../session/session.ts'
import { CreateUser } from './create-user.tsx'
import { FindUser } from './find-user.tsx'
import { UserList } from './user-list.tsx'

/** Administrators see all users; support and moderators look one up. */
export function Users() {
  const { user } = useSession()
  const [isCreating, setIsCreating] = useState(false)
  if (!isAtLeast(user.role, 'admin'))
    return (
      <Page title="Users">
        <FindUser />
      </Page>
    )
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
      {isCreating && <CreateUser onClose={() => setIsCreating(false)} />}
    </Page>
  )
}
