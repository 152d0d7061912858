import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSession } from '../session/session.ts'
import { nameOf } from './user-names.ts'

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The name of the user with this id. Shows other text, and the id of a deleted user, as is. */
export function UserLink({ id }: { readonly id: string }) {
  const { client } = useSession()
  const isId = idPattern.test(id)
  const name = useQuery({
    queryKey: ['user', id, 'name'],
    queryFn: () => nameOf(client, id),
    enabled: isId,
    staleTime: 60_000,
  })
  if (!isId || name.data === null) return <bdi>{id}</bdi>
  return (
    <Link to="/users/$userId" params={{ userId: id }} title={id}>
      <bdi>{name.data ?? (name.isPending ? `${id.slice(0, 8)}…` : id)}</bdi>
    </Link>
  )
}
