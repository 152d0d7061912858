import { refuse } from '../http/refusal.ts'
import type { CreateDeps } from './create-account.ts'
import { errors } from './errors.ts'
import type { Actor } from './guard.ts'
import { type Credentials, signIn } from './login.ts'
import { mustBeAsProven } from './own-password.ts'
import { hashOfSessionSecret, makeSessionSecret } from './session-cookie.ts'
import { type ConsoleSession, maxSessions, sessionLifetimeMs } from './sessions.ts'
import type { Account, Change } from './users.ts'

interface NewSession extends Pick<ConsoleSession, 'address' | 'browser'> {
  /** The session of the same browser, if it is of the same user. */
  readonly replaces: string | null
}

const detailsOf = ({ id, browser }: Pick<ConsoleSession, 'id' | 'browser'>) => ({ session: id, browser })

/** Signs in to the console. The account keeps its token. */
export function startSession(
  deps: CreateDeps,
  credentials: Credentials,
  { address, browser, replaces }: NewSession,
  signal: AbortSignal,
) {
  const { clock, newId } = deps
  const issue = ({ id: userId }: Account) => {
    const secret = makeSessionSecret()
    const createdAt = clock.now()
    const times = { createdAt, expiresAt: createdAt + sessionLifetimeMs, lastUsedAt: createdAt }
    const add: ConsoleSession = { id: newId(), userId, ...times, address, browser }
    const sessions = { add, secretHash: hashOfSessionSecret(secret), replaces, max: maxSessions }
    return { secret, change: { values: {}, sessions, after: detailsOf(add) } }
  }
  return signIn(deps, credentials, issue, signal)
}

/** Ends one of the caller's sessions. Refused if the caller has meanwhile been banned or signed out. */
export async function endSession(
  { users }: Pick<CreateDeps, 'users'>,
  actor: Actor,
  sessionId: string,
  proven: Account | null,
): Promise<void> {
  const { id } = actor.user
  actor.noteTarget(id)
  await users.change({ action: 'end-session', by: actor, target: { id }, readsSessions: true }, (parties) => {
    mustBeAsProven(parties, proven, actor.login)
    return sessionEnd(parties.sessions ?? [], sessionId)
  })
}

export function sessionEnd(sessions: readonly ConsoleSession[], sessionId: string): Change {
  const session = sessions.find(({ id }) => id === sessionId) ?? refuse(errors.sessionNotFound)
  return { values: {}, sessions: { remove: session.id }, before: detailsOf(session) }
}
