import { useQuery } from '@tanstack/react-query'
import { LinkFacts } from '../../parts/link-facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { SessionEntry } from '../../parts/session-entry.tsx'
import { useSession } from '../../session/session.ts'

/** The user's sign-ins to the console, and embed links. Signing the user out ends both. */
export function UserAccess({ userId }: { readonly userId: string }) {
  const { client } = useSession()
  const sessions = useQuery({
    queryKey: ['user', userId, 'sessions'],
    queryFn: ({ signal }) => client.admin.userSessions({ userId }, { signal }),
  })
  const links = useQuery({
    queryKey: ['user', userId, 'links'],
    queryFn: ({ signal }) => client.admin.userEmbedLinks({ userId }, { signal }),
  })
  return (
    <>
      <section>
        <h2>Where the user is signed in</h2>
        <Loaded query={sessions} name="sign-ins" isEmpty={({ sessions }) => sessions.length === 0}>
          {({ sessions }) => (
            <ul className="entries" aria-label="Sign-ins">
              {sessions.map((session) => (
                <SessionEntry key={session.id} session={session} />
              ))}
            </ul>
          )}
        </Loaded>
      </section>
      <section>
        <h2>Embed links</h2>
        <Loaded query={links} name="embed links" isEmpty={({ links }) => links.length === 0}>
          {({ links }) => <LinkFacts links={links} />}
        </Loaded>
      </section>
    </>
  )
}
