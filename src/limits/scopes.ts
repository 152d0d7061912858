/** A fixed-window limit, with a delay for requests near it. */
export interface Limit {
  /** 0 disables it. */
  readonly max: number
  readonly windowMs: number
  readonly slow: Slow | null
}

export interface Slow {
  readonly after: number
  readonly stepMs: number
  readonly capMs: number
}

/**
 * What routes name as their limit, and the scopes that it stands for besides `global`. `me` reports the remainder of
 * all except embed links; `password` reserves a failed login for the caller's name, `passwordAgain` and
 * `adminPasswordAgain` also for the address. Requests of a console session count in `session` instead of `auth`.
 */
export const routeLimits = {
  auth: ['auth'],
  me: ['auth'],
  register: ['auth', 'register'],
  login: ['auth', 'login_address', 'login_name'],
  password: ['auth', 'login_name'],
  passwordAgain: ['auth', 'login_address', 'login_name'],
  adminPasswordAgain: ['login_address', 'login_name'],
  embed: ['embed_link', 'embed_address'],
  report: ['report'],
} as const satisfies Record<string, readonly SetScope[]>

export type RouteLimit = keyof typeof routeLimits

/** `requests` counts each request; `failures` makes a reservation for each, and releases it on success. */
const scopeKinds = {
  global: { by: 'address', counts: 'requests' },
  auth: { by: 'address', counts: 'requests' },
  register: { by: 'address', counts: 'requests' },
  login_address: { by: 'address', counts: 'failures' },
  login_name: { by: 'name', counts: 'failures' },
  embed_link: { by: 'link', counts: 'requests' },
  embed_address: { by: 'address', counts: 'requests' },
  report: { by: 'user', counts: 'requests' },
  session: { by: 'session', counts: 'requests' },
} as const

/** The scopes whose limits are settings. */
export type SetScope = keyof typeof scopeKinds

/** `key`: each API key may have its own limit. */
export type ScopeName = SetScope | 'key'

export interface Scope extends Limit {
  readonly name: ScopeName
  readonly by: 'address' | 'name' | 'user' | 'link' | 'session'
  readonly counts: 'requests' | 'failures'
}

export type Scopes = Readonly<Record<SetScope, Scope>>

/** For people. */
export const whatIsLimited: Readonly<Record<ScopeName, string>> = {
  global: 'Requests per address',
  auth: 'Requests per address under `/auth/`',
  register: 'Registrations per address',
  login_address: 'Failed logins per address',
  login_name: 'Failed logins per username',
  embed_link: 'Requests per embed link',
  embed_address: 'Requests to embed links per address',
  report: 'Reports of images per user',
  session: 'Requests per console session',
  key: 'Requests per API key',
}

export const setScopes = Object.keys(scopeKinds) as SetScope[]
export const scopeNames: readonly ScopeName[] = [...setScopes, 'key']

export const createScopes = (limits: Readonly<Record<SetScope, Limit>>): Scopes =>
  Object.fromEntries(
    setScopes.map((name) => [name, { name, ...scopeKinds[name], ...limits[name] }]),
  ) as unknown as Scopes

/** The limit of an API key. Its subject is the key's id instead of a name. */
export const scopeOfKey = (max: number): Scope => ({
  name: 'key',
  by: 'name',
  counts: 'requests',
  max,
  windowMs: 60_000,
  slow: null,
})

/** The number of requests in a window that are not delayed. Beyond it, a reservation waits for the delay. */
export const maxUndelayed = ({ max, slow }: Limit): number => Math.min(max, slow?.after ?? max)
