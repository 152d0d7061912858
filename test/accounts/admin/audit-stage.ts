import { before } from 'node:test'
import { fakeClock } from '../../support/clock.ts'
import { type Person, password, type Reply, type ServiceSpec } from '../../support/service.ts'
import type { Store } from '../../support/stores.ts'
import { withService } from '../../support/with-service.ts'

export interface Event {
  readonly id: string
  readonly at: string
  readonly action: string
  readonly outcome: string
  readonly actor: string | null
  readonly target: string | null
  readonly address: string | null
  readonly requestId: string | null
  readonly count: number
  readonly before: object | null
  readonly after: object | null
}

export const withoutId = ({ id: _, ...rest }: Event) => rest

/** For a `describe`: the service with a clock that only the test moves, and an owner, olivia, who reads the audit. */
export function withAudit(store: Store, spec: Omit<ServiceSpec, 'store' | 'place'> = {}) {
  const clock = fakeClock()
  const stage = withService(store, {
    env: { OWNER_USERNAME: 'olivia', OWNER_PASSWORD: password, TOKEN_TTL: '3650d', ...spec.env },
    overrides: { clock, ...spec.overrides },
  })
  const owner = { id: '', username: 'olivia', token: '' }
  before(async () => {
    const { body } = await stage.service.login('olivia')
    Object.assign(owner, { id: body.user.id, token: body.accessToken })
  })

  const read = (query = '', token = owner.token) => stage.service.request('GET', `/admin/audit${query}`, { token })
  const events = async (query = ''): Promise<Event[]> => {
    const { status, body, text } = await read(`?limit=500${query}`)
    if (status !== 200) throw new Error(`the audit: ${status} ${text}`)
    return body.events
  }
  const post = (path: string, body: object = {}, token = owner.token) =>
    stage.service.request('POST', path, { token, body })

  return {
    stage,
    clock,
    owner,
    read,
    events,
    post,
    /** A new user with this role. */
    async person(username: string, role = 'user'): Promise<Person> {
      const made = await stage.service.register(username)
      if (role !== 'user') await post('/admin/user/edit/role', { userId: made.id, role })
      return made
    },
    /** The events that this adds to the audit, newest first. */
    async during<T>(act: () => Promise<T>): Promise<{ reply: T; told: Event[] }> {
      const [last] = await events()
      const reply = await act()
      const all = await events()
      return { reply, told: all.slice(0, last ? all.findIndex(({ id }) => id === last.id) : all.length) }
    },
    /** The event for this reply, without its id. */
    eventOf: (reply: Reply, given: Partial<Event>) => ({
      at: new Date(clock.now()).toISOString(),
      outcome: 'success',
      actor: null,
      target: null,
      address: '127.0.0.1',
      requestId: reply.headers.get('x-request-id'),
      count: 1,
      before: null,
      after: null,
      ...given,
    }),
  }
}
