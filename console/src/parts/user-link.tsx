import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { permitted } from '../../../src/accounts/roles.ts'
import { useSession } from '../session/session.ts'
import { isId, ShortId } from './short-id.tsx'
import { foundNameOf, nameOf } from './user-names.ts'

/** The name of the user with this id. Shows other text, and the id of a deleted user, as is. */
export function UserLink({ id }: { readonly id: string }) {
  const { client, user } = useSession()
  const isOwn = id === user.id
  const name = useQuery({
    queryKey: ['user', id, 'name'],
    queryFn: () => (permitted.administer.includes(user.role) ? nameOf : foundNameOf)(client, id),
    enabled: isId(id) && !isOwn,
    staleTime: 60_000,
  })
  if (!isId(id)) return <bdi>{id}</bdi>
  const known = isOwn ? user.username : name.data
  if (known === null) return <ShortId id={id} />
  return (
    <Link to="/users/$userId" params={{ userId: id }} title={id}>
      {known === undefined ? <ShortId id={id} /> : <bdi>{known}</bdi>}
    </Link>
  )
}
