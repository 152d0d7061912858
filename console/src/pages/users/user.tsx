import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { MenagerieError } from '../../../../client/src/client.ts'
import { permitted } from '../../../../src/accounts/roles.ts'
import { Fact } from '../../parts/fact.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { Usage } from '../../parts/usage.tsx'
import { useSession } from '../../session/session.ts'
import { UserActs } from './user-acts.tsx'
import { UserAudit } from './user-audit.tsx'
import { UserBan } from './user-ban.tsx'
import { UserKeys } from './user-keys.tsx'
import { UserLinks } from './user-links.tsx'
import { UserSignIns } from './user-sign-ins.tsx'
import { WrongPasswords } from './wrong-passwords.tsx'

const route = getRouteApi('/users/$userId')

/** Support and moderators see who the user is; administrators also see what the user did, and may act. */
export function User() {
  const { client, user: actor } = useSession()
  const { userId } = route.useParams()
  const found = useQuery({
    queryKey: ['user', userId],
    queryFn: ({ signal }) => client.admin.findUser({ userId }, { signal }),
  })
  const isAdministrator = permitted.administer.includes(actor.role)
  const mayAct = isAdministrator && userId !== actor.id
  const isGone = found.error instanceof MenagerieError && found.error.status === 404
  const present = isGone ? { ...found, data: undefined } : found
  const user = present.data?.user
  return (
    <Page
      title={found.data?.user.username ?? 'User'}
      parent={<Link to="/users">Users</Link>}
      actions={mayAct && user && <UserActs user={user} />}
    >
      <Loaded query={present} name="user">
        {({ user, requests }) => (
          <dl className="facts">
            <Fact name="Role">{user.role}</Fact>
            <Fact name="State">
              {user.banned ? <span className="badge is-bad">banned</span> : <span className="badge">active</span>}
            </Fact>
            {isAdministrator && user.banned && <UserBan userId={userId} />}
            {isAdministrator && <WrongPasswords user={user} />}
            <Fact name="Created">
              <Time at={user.createdAt} />
            </Fact>
            <Fact name="Changed">
              <Time at={user.updatedAt} />
            </Fact>
            <Fact name="Id">
              <code>{user.id}</code>
            </Fact>
            <Fact name="Requests">
              {requests
                ? `${requests.total.toLocaleString('en')}: images ${requests.images.toLocaleString('en')}, account ${requests.auth.toLocaleString('en')}, administration ${requests.admin.toLocaleString('en')}`
                : 'none'}
            </Fact>
          </dl>
        )}
      </Loaded>
      {isAdministrator && isGone && (
        <p>
          <Link to="/audit" search={{ target: userId }}>
            Events about this user
          </Link>
        </p>
      )}
      {userId === actor.id && (
        <p className="note">
          This is you: your password and your sign-ins are on the page <Link to="/account">Account</Link>.
        </p>
      )}
      {!isAdministrator && <p className="note">Actions on users are for admin and above; your role is {actor.role}.</p>}
      {isAdministrator && user && (
        <>
          <section>
            <h2>Requests per day</h2>
            <Usage userId={userId} />
          </section>
          <UserKeys user={user} />
          <UserSignIns user={user} />
          <UserLinks user={user} />
          <UserAudit user={user} />
        </>
      )}
    </Page>
  )
}
