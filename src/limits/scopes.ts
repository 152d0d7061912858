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
 * What routes name as their limit, and the scopes that limit them beside `global`. `me` shows the remainder of all;
 * `password` reserves a failed login of the caller's name.
 */
export const routeLimits = {
  auth: ['auth'],
  me: ['auth'],
  register: ['auth', 'register'],
  login: ['auth', 'login_address', 'login_name'],
  password: ['auth', 'login_name'],
} as const satisfies Record<string, readonly ScopeName[]>

export type RouteLimit = keyof typeof routeLimits

/** `requests` counts each request; `failures` reserves for each, and releases the reservation if it succeeds. */
export const scopeKinds = {
  global: { by: 'address', counts: 'requests' },
  auth: { by: 'address', counts: 'requests' },
  register: { by: 'address', counts: 'requests' },
  login_address: { by: 'address', counts: 'failures' },
  login_name: { by: 'name', counts: 'failures' },
} as const

export type ScopeName = keyof typeof scopeKinds

export interface Scope extends Limit {
  readonly name: ScopeName
  readonly by: 'address' | 'name'
  readonly counts: 'requests' | 'failures'
}

export type Scopes = Readonly<Record<ScopeName, Scope>>

export const scopeNames = Object.keys(scopeKinds) as ScopeName[]

export const createScopes = (limits: Readonly<Record<ScopeName, Limit>>): Scopes =>
  Object.fromEntries(
    scopeNames.map((name) => [name, { name, ...scopeKinds[name], ...limits[name] }]),
  ) as unknown as Scopes

/** The number of requests in a window that are not delayed; beyond it nothing is reserved yet. */
export const maxUndelayed = ({ max, slow }: Limit): number => Math.min(max, slow?.after ?? max)
