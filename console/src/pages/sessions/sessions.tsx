import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { SessionEntry } from '../../parts/session-entry.tsx'
import { showFailure } from '../../parts/toasts.tsx'
import { sessions as ownSession, useSession } from '../../session/session.ts'
import { EndSession } from './end-session.tsx'

type ConsoleSession = Schemas['ConsoleSession']

export function Sessions() {
  const { client } = useSession()
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: ({ signal }) => client.auth.sessions.list({ signal }) })
  const [ending, setEnding] = useState<ConsoleSession | null>(null)
  return (
    <Page title="Where you are signed in" parent={<Link to="/account">Account</Link>}>
      <p className="note">
        Sign-ins to this console, each for 30 days. API keys, embed links and the token of a program are not among them.
      </p>
      <Loaded query={sessions} name="sign-ins" isEmpty={({ sessions }) => sessions.length === 0}>
        {({ sessions }) => (
          <ul className="entries" aria-label="Sign-ins">
            {sessions.map((session) => (
              <SessionEntry key={session.id} session={session}>
                <button
                  type="button"
                  className="button"
                  onClick={() => {
                    if (session.current) void ownSession.signOut().catch(showFailure)
                    else setEnding(session)
                  }}
                >
                  Sign out<span className="hidden"> {session.current ? 'this browser' : session.browser}</span>
                </button>
              </SessionEntry>
            ))}
          </ul>
        )}
      </Loaded>
      {ending && <EndSession session={ending} onClose={() => setEnding(null)} />}
    </Page>
  )
}
