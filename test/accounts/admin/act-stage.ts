import { before } from 'node:test'
import type { Role } from '../../../src/accounts/roles.ts'
import { fakeClock } from '../../support/clock.ts'
import { answerOf, type Cast, cast, type Stranger, stateOf, stranger } from '../../support/people.ts'
import type { Store } from '../../support/stores.ts'
import { withService } from '../../support/with-service.ts'

/** For a `describe`: a service with one user of each role, and one administrative act on accounts. */
export function actStage(store: Store, path: string) {
  const clock = fakeClock()
  const stage = withService(store, { overrides: { clock } })
  const people = {} as Cast
  before(async () => void Object.assign(people, await cast(stage)))
  const post = async (to: string, body: unknown, actor: Role = 'admin') =>
    answerOf(await stage.service.request('POST', to, { token: people[actor].accessToken, body }))
  return {
    stage,
    clock,
    people,
    post,
    act: (body: unknown, query = '', actor?: Role) => post(path + query, body, actor),
    look: (id: string) => stateOf(stage, id, people.owner.accessToken),
    someone: (role: Role = 'user') => stranger(stage, { role, now: clock.now() }),
    me: async (token: string) => answerOf(await stage.service.request('GET', '/auth/me', { token })),
  }
}

/** The reply to an act on a user with role `user`. */
export const changed = (message: string, { id, username }: Stranger, now: object = {}) => [
  200,
  { status: 200, message, user: { id, username, role: 'user', banned: false, ...now } },
]
