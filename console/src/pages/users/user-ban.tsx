import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Fact } from '../../parts/fact.tsx'
import { Moment, Time } from '../../parts/time.tsx'
import { serverNow } from '../../session/server-clock.ts'
import { useSession } from '../../session/session.ts'

/** The service's clock is known to within about two seconds. */
const spareMs = 3_000
const longestTimerMs = 2 ** 31 - 1

/** Disappears from the page when the ban ends. */
export function UserBan({ userId }: { readonly userId: string }) {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['user', userId, 'ban'],
    queryFn: ({ signal }) => client.admin.getBan({ userId }, { signal }),
  })
  const ban = data?.ban
  const queries = useQueryClient()
  const until = ban?.until
  useEffect(() => {
    if (!until) return undefined
    const ms = Math.min(Date.parse(until) - serverNow() + spareMs, longestTimerMs)
    const timer = setTimeout(() => void queries.invalidateQueries({ queryKey: ['user', userId] }), ms)
    return () => clearTimeout(timer)
  }, [until, userId, queries])
  if (!ban) return null
  return (
    <Fact name="Ban">
      {ban.reason !== null && (
        <div className="text" dir="auto">
          {ban.reason}
        </div>
      )}
      <span className="note">
        Banned <Time at={ban.since} />
        {ban.until === null ? (
          ', permanently'
        ) : (
          <>
            , ends <Moment at={ban.until} />
          </>
        )}
      </span>
    </Fact>
  )
}
