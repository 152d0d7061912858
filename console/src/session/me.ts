import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { showToast } from '../parts/toasts.tsx'
import { sessions, useSession } from './session.ts'

const minuteMs = 60_000

/** The signed-in user as the service knows them now: role and name may change. */
export function useMe() {
  const { client } = useSession()
  const me = useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => client.auth.me({ signal }),
    staleTime: 2 * minuteMs,
    refetchInterval: 5 * minuteMs,
  })
  const user = me.data?.user
  useEffect(() => {
    if (!user) return
    const { role } = sessions.current?.user ?? user
    if (role !== user.role) showToast(`Your role was ${role}, and is now ${user.role}.`)
    sessions.update(user)
  }, [user])
  return me
}
