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

/** In memory, and in this tab's storage if asked for. */
const storageKey = 'menagerie.session'
/** The root of the service: the page is `console` below it, whatever path a proxy gives both. */
const serviceUrl = new URL('.', document.baseURI).href

/** Whoever waits for longer is told. */
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

/** If this tab keeps its session at all. */
function keepAgain({ user, client: { token } }: Session): void {
  if (token !== undefined && sessionStorage.getItem(storageKey) !== null) keep({ user, token })
}

let current = restored()
/** Why there is none any more, for the sign-in page. */
let reason: string | null = null
const listeners = new Set<() => void>()

function set(session: Session | null, why: string | null = null): void {
  current = session
  reason = why
  for (const listener of listeners) listener()
}

export const sessions = {
  /** For what goes on above the pages. */
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
    // A token that was refused has ended, too.
    await ending?.catch(() => {})
  },
  /** A refused token ends the session; the hash of the page stays, so that signing in leads back to it. */
  endIfRefused(error: unknown): void {
    if (error instanceof MenagerieError && error.status === 401) sessions.endWith(error)
  },
  endWith(error: Error): void {
    sessions.end(`You have been signed out: ${error instanceof MenagerieError ? error.text : error.message}`)
  },
  /** The token is no longer accepted, or is not wanted any more. */
  end(why: string | null): void {
    if (!current) return
    sessionStorage.removeItem(storageKey)
    set(null, why)
  },
  /** Ends all other sessions, keys and links of the user; this one goes on with the new token. */
  async changePassword(currentPassword: string, newPassword: string): Promise<void> {
    if (!current) return
    await current.client.auth.changePassword({ currentPassword, newPassword })
    keepAgain(current)
  },
  /** The name or role of whoever is signed in may have changed. */
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

/** On pages, which only the signed in see. */
export function useSession(): Session {
  const session = useSessionOrNull()
  if (!session) throw new Error('nobody is signed in')
  return session
}
