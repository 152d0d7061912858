import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../parts/loaded.tsx'
import { SessionEntry } from '../../parts/session-entry.tsx'
import { useSession } from '../../session/session.ts'

/** The user's sign-ins to the console. Signing the user out ends them, and the keys and embed links. */
export function UserSignIns({ userId }: { readonly userId: string }) {
  const { client } = useSession()
  const sessions = useQuery({
    queryKey: ['user', userId, 'sessions'],
    queryFn: ({ signal }) => client.admin.userSessions({ userId }, { signal }),
  })
  return (
    <section>
      <h2>Where the user is signed in</h2>
      <Loaded
        query={sessions}
        name="sign-ins"
        isEmpty={({ sessions }) => sessions.length === 0}
        empty="No sign-ins to the console. The token of a program is not among them."
      >
        {({ sessions }) => (
          <ul className="entries" aria-label="Sign-ins">
            {sessions.map((session) => (
              <SessionEntry key={session.id} session={session} />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  )
}
