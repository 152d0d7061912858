import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Time } from '../../parts/time.tsx'
import { useSession } from '../../session/session.ts'

export function NewestUsers() {
  const { client } = useSession()
  const users = useQuery({
    queryKey: ['users', 'newest'],
    queryFn: ({ signal }) => firstPage(client.admin.dashboard({ limit: 8, sort: '-createdAt', signal })),
  })
  return (
    <section>
      <h2>Newest accounts</h2>
      <Loaded query={users} name="users">
        {({ users }) => (
          <dl className="facts">
            {users.map(({ id, username, createdAt }) => (
              <div key={id}>
                <dt>
                  <Link to="/users/$userId" params={{ userId: id }}>
                    <bdi>{username}</bdi>
                  </Link>
                </dt>
                <dd>
                  <Time at={createdAt} />
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Loaded>
    </section>
  )
}
