import { useSyncExternalStore } from 'react'
import { type Client, createClient, type MenagerieError, type Schemas } from '../../../client/src/client.ts'
import { createListeners } from '../parts/listeners.ts'
import { serverNow, timedFetch } from './server-clock.ts'

export type User = Schemas['User']

export interface Session {
  readonly user: User
  readonly client: Client
}

/** The root of the service: the page is `console` below it, under whatever path a proxy serves both. */
const serviceUrl = new URL('.', document.baseURI).href

/** A longer Retry-After is not waited for, but shown as a failure. */
const maxWaitMs = 1_000

/** The browser sends the session's cookie. The header shows that no other site sent the request. */
const client = createClient({
  url: serviceUrl,
  headers: { 'x-menagerie-console': '1' },
  fetch: timedFetch,
  maxWaitMs,
})

/** Who is signed in, for all tabs: no script can see the cookie, and a signed-out page should request nothing. */
const storageKey = 'menagerie.user'
const signedInKey = 'menagerie.signedInAt'

function remembered(): Session | null {
  try {
    const user: User | null = JSON.parse(localStorage.getItem(storageKey) ?? 'null')
    return user && { user, client }
  } catch {
    return null
  }
}

/** Without storage, the sign-in lasts until the page is reloaded. */
function remember(user: User | null): void {
  try {
    if (user) localStorage.setItem(storageKey, JSON.stringify(user))
    else localStorage.removeItem(storageKey)
  } catch {}
}

function rememberSignIn(): void {
  try {
    localStorage.setItem(signedInKey, String(serverNow()))
  } catch {}
}

/** By the service's clock; Infinity if this browser does not know. */
export function signedInAt(): number {
  try {
    return Number(localStorage.getItem(signedInKey) ?? Infinity)
  } catch {
    return Infinity
  }
}

const ended =
  'Your sign-in was ended elsewhere: in another browser, by a new password, by an administrator, or after 30 days. Please sign in again.'

const notKept =
  'The browser did not keep the cookie of your sign-in. Allow cookies for this site, and if it has an https address, use that one.'

let current = remembered()
/** Nothing has been read since the sign-in. */
let isUntried = false
/** Why the session ended, for the sign-in page. */
let reason: string | null = null
const { tell, subscribe } = createListeners()

function set(session: Session | null, why: string | null = null): void {
  current = session
  reason = why
  tell()
}

const isCurrent = (user: User) => JSON.stringify(user) === JSON.stringify(current?.user)

addEventListener('storage', ({ key }) => {
  // Null: everything was cleared.
  if (key !== storageKey && key !== null) return
  const session = remembered()
  if (session === null) {
    if (current) set(null, 'This browser has been signed out.')
  } else if (!isCurrent(session.user)) set(session)
})

export const sessions = {
  /** For code outside of the pages. */
  get current() {
    return current
  },
  subscribe,
  get reason() {
    return reason
  },
  createFirstOwner: client.console.createFirstOwner,
  /** The token in the reply is not needed: who signs in here gets a session. */
  async register(username: string, password: string): Promise<void> {
    await createClient({ url: serviceUrl, fetch: timedFetch, maxWaitMs }).auth.register({ username, password })
  },
  async signIn(username: string, password: string): Promise<void> {
    const { user } = await client.console.signIn({ username, password })
    isUntried = true
    remember(user)
    rememberSignIn()
    set({ user, client })
  },
  /** On failure the cookie is still there, and so is the session. */
  async signOut(): Promise<void> {
    await client.console.signOut()
    sessions.end(null)
  },
  /** The service no longer accepts the session. Keeps the page's hash, so that signing in leads back to it. */
  endWith(error: MenagerieError): void {
    const refused = isUntried ? notKept : ended
    sessions.end(error.status === 401 ? refused : `You have been signed out: ${error.text}`)
  },
  end(why: string | null): void {
    if (!current) return
    remember(null)
    set(null, why)
  },
  /** Call this with the signed-in user as read from the service: name and role may have changed. */
  update(user: User): void {
    isUntried = false
    if (!current || isCurrent(user)) return
    remember(user)
    set({ user, client })
  },
}

export const useSessionOrNull = (): Session | null => useSyncExternalStore(subscribe, () => current)

/** For pages, which only signed-in users see. */
export function useSession(): Session {
  const session = useSessionOrNull()
  if (!session) throw new Error('nobody is signed in')
  return session
}
