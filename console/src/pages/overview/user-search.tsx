import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { permitted } from '../../../../src/accounts/roles.ts'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useSession } from '../../session/session.ts'
import { AllowedActs } from '../users/allowed-acts.tsx'
import { FindUser } from '../users/find-user.tsx'
import { useUserActs } from '../users/use-user-acts.tsx'

/** Where most tasks begin: somebody is found by typing, and the acts are beside the name. */
export function UserSearch() {
  const { user } = useSession()
  return (
    <section>
      <h2>Find a user</h2>
      {permitted.administer.includes(user.role) ? <FoundUsers /> : <FindUser isFirst />}
    </section>
  )
}

const limit = 5

function FoundUsers() {
  const { client } = useSession()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const q = text.trim()
  const open = useMutation({
    async mutationFn(typed: string) {
      const show = ({ id }: { readonly id: string }) => navigate({ to: '/users/$userId', params: { userId: id } })
      const exact = await client.admin.findUser({ username: typed }).catch(() => null)
      if (exact) return show(exact.user)
      const { users } = await firstPage(client.admin.dashboard({ q: typed, limit: 2 }))
      const [only, other] = users
      return only && !other ? show(only) : navigate({ to: '/users', search: { q: typed } })
    },
  })
  return (
    <>
      <search className="form">
        <SearchField
          label="Username or a part of it"
          isFirst
          value={text}
          onChange={setText}
          onEnter={(typed) => typed.trim() !== '' && open.mutate(typed.trim())}
        />
      </search>
      {q !== '' && <Matches q={q} />}
    </>
  )
}

function Matches({ q }: { readonly q: string }) {
  const { client } = useSession()
  const acts = useUserActs()
  const users = useQuery({
    queryKey: ['users', 'found', q],
    queryFn: ({ signal }) => firstPage(client.admin.dashboard({ q, sort: 'username', limit, signal })),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <Loaded query={users} name="users" isEmpty={({ users }) => users.length === 0} empty="No user matches.">
        {({ users, next }) => (
          <>
            <ul className="entries found">
              {users.map((user) => (
                <li key={user.id}>
                  <div>
                    <Link to="/users/$userId" params={{ userId: user.id }}>
                      <bdi>{user.username}</bdi>
                    </Link>{' '}
                    <span className="note">{user.role}</span>{' '}
                    {user.banned && <span className="badge is-bad">banned</span>}
                  </div>
                  <div className="actions">
                    <AllowedActs user={user} acts={acts} />
                  </div>
                </li>
              ))}
            </ul>
            {next !== null && (
              <p>
                <Link to="/users" search={{ q }}>
                  All users that match
                </Link>
              </p>
            )}
          </>
        )}
      </Loaded>
      {acts.dialogs}
    </>
  )
}
