import { useQuery } from '@tanstack/react-query'
import { Time } from '../../parts/time.tsx'
import { useSession } from '../../session/session.ts'
import { Fact } from './user.tsx'

export function UserBan({ userId }: { readonly userId: string }) {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['user', userId, 'ban'],
    queryFn: ({ signal }) => client.admin.getBan({ userId }, { signal }),
  })
  const ban = data?.ban
  if (!ban) return null
  return (
    <Fact name="Ban">
      <span className="text" dir="auto">
        {ban.reason ?? 'No reason given'}
      </span>
      <br />
      <span className="note">
        <Time at={ban.since} />
        {ban.until === null ? (
          ', without an end'
        ) : (
          <>
            , ends <Time at={ban.until} />
          </>
        )}
      </span>
    </Fact>
  )
}
