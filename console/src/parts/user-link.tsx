import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSession } from '../session/session.ts'
import { isId, ShortId } from './short-id.tsx'
import { nameOf } from './user-names.ts'

/** The name of the user with this id. Shows other text, and the id of a deleted user, as is. */
export function UserLink({ id }: { readonly id: string }) {
  const { client } = useSession()
  const name = useQuery({
    queryKey: ['user', id, 'name'],
    queryFn: () => nameOf(client, id),
    enabled: isId(id),
    staleTime: 60_000,
  })
  if (!isId(id)) return <bdi>{id}</bdi>
  if (name.data === null) return <ShortId id={id} />
  return (
    <Link to="/users/$userId" params={{ userId: id }} title={id}>
      {name.data === undefined ? <ShortId id={id} /> : <bdi>{name.data}</bdi>}
    </Link>
  )
}
