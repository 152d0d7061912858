import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { SessionEntry } from '../../parts/session-entry.tsx'
import { type User, useSession } from '../../session/session.ts'
import { RefusalNote } from './refusal-note.tsx'
import { refusalOf } from './rules.ts'

/** The user's sign-ins to the console. */
export function UserSignIns({ user }: { readonly user: User }) {
  const { client, user: actor } = useSession()
  const sessions = useQuery({
    queryKey: ['user', user.id, 'sessions'],
    queryFn: ({ signal }) => client.admin.userSessions({ userId: user.id }, { signal }),
  })
  const [ending, setEnding] = useState<Schemas['ConsoleSession'] | null>(null)
  const refusal = refusalOf('end session', actor, user)
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
          <>
            <RefusalNote
              id="session-refusal"
              refusal={refusal}
              own={actor.id === user.id && <Link to="/sessions">Where you are signed in</Link>}
            />
            <ul className="entries" aria-label="Sign-ins">
              {sessions.map((session) => (
                <SessionEntry key={session.id} session={session}>
                  <ActButton
                    isRefused={refusal !== null}
                    aria-describedby={refusal === null ? undefined : 'session-refusal'}
                    onClick={() => setEnding(session)}
                  >
                    Sign out<span className="hidden"> {session.browser}</span>
                  </ActButton>
                </SessionEntry>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {ending && (
        <Confirm
          title={`Sign out ${user.username} in ${ending.browser}`}
          label="Sign out"
          done={`${ending.browser} has been signed out`}
          act={() => client.admin.endSession(ending.id)}
          queryKey={['user', user.id]}
          onClose={() => setEnding(null)}
        >
          Whoever uses it there, from {ending.address}, must sign in again. The other sign-ins, the access token, API
          keys and embed links remain: “Revoke all access” ends them too.
        </Confirm>
      )}
    </section>
  )
}
