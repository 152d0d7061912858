import { useSyncExternalStore } from 'react'
import { type Client, createClient, MenagerieError, type Schemas } from '../../../client/src/client.ts'
import { timedFetch } from './server-clock.ts'

export type User = Schemas['User']

export interface Session {
  readonly user: User
  readonly client: Client
}

interface Kept {
  readonly user: User
  readonly token: string
}

/** The session is kept in memory and, on request, in this tab's storage. */
const storageKey = 'menagerie.session'
/** The root of the service: the page is `console` below it, under whatever path a proxy serves both. */
const serviceUrl = new URL('.', document.baseURI).href

/** A longer Retry-After is not waited for, but shown as a failure. */
const maxWaitMs = 1_000

const newClient = (token?: string) => createClient({ url: serviceUrl, token, fetch: timedFetch, maxWaitMs })

function restored(): Session | null {
  try {
    const { user, token }: Kept = JSON.parse(sessionStorage.getItem(storageKey) ?? '')
    return { user, client: newClient(token) }
  } catch {
    return null
  }
}

const keep = (kept: Kept) => sessionStorage.setItem(storageKey, JSON.stringify(kept))

/** Only if this tab keeps its session at all. */
function keepAgain({ user, client: { token } }: Session): void {
  if (token !== undefined && sessionStorage.getItem(storageKey) !== null) keep({ user, token })
}

let current = restored()
/** Why the session ended, for the sign-in page. */
let reason: string | null = null
const listeners = new Set<() => void>()

function set(session: Session | null, why: string | null = null): void {
  current = session
  reason = why
  for (const listener of listeners) listener()
}

export const sessions = {
  /** For code outside of the pages. */
  get current() {
    return current
  },
  subscribe,
  get reason() {
    return reason
  },
  async signIn(username: string, password: string, keeps: boolean): Promise<void> {
    const client = newClient()
    const { user, accessToken } = await client.auth.login({ username, password })
    if (keeps) keep({ user, token: accessToken })
    set({ user, client })
  },
  async signOut(): Promise<void> {
    const ending = current?.client.auth.logout()
    sessions.end(null)
    // A refused token has ended, too.
    await ending?.catch(() => {})
  },
  /** Ends the session if the token was refused. Keeps the page's hash, so that signing in leads back to it. */
  endIfRefused(error: unknown): void {
    if (error instanceof MenagerieError && error.status === 401) sessions.endWith(error)
  },
  endWith(error: Error): void {
    sessions.end(`You have been signed out: ${error instanceof MenagerieError ? error.text : error.message}`)
  },
  /** Call this when the token is no longer accepted or no longer wanted. */
  end(why: string | null): void {
    if (!current) return
    sessionStorage.removeItem(storageKey)
    set(null, why)
  },
  /** Ends all other sessions, keys and links of the user; this session continues with the new token. */
  async changePassword(currentPassword: string, newPassword: string): Promise<void> {
    if (!current) return
    await current.client.auth.changePassword({ currentPassword, newPassword })
    keepAgain(current)
  },
  /** Call this when the signed-in user's name or role may have changed. */
  update(user: User): void {
    if (!current || JSON.stringify(user) === JSON.stringify(current.user)) return
    const session = { ...current, user }
    keepAgain(session)
    set(session)
  },
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useSessionOrNull = (): Session | null => useSyncExternalStore(subscribe, () => current)

/** For pages, which only signed-in users see. */
export function useSession(): Session {
  const session = useSessionOrNull()
  if (!session) throw new Error('nobody is signed in')
  return session
}
