import type { Role } from '../../src/accounts/roles.ts'
import type { Person, Reply, ServiceSpec } from '../support/service.ts'
import type { Store } from '../support/stores.ts'
import { withService } from '../support/with-service.ts'

export const bearer = (secret: string) => `Bearer ${secret}`

/** A service, and people with API keys. */
export function keyStage(store: Store, spec: Omit<ServiceSpec, 'store' | 'place'> = {}) {
  const stage = withService(store, spec)
  let made = 0
  const ask = (method: string, path: string, secret: string, body?: unknown): Promise<Reply> =>
    stage.service.request(method, path, { token: bearer(secret), body })
  return {
    stage,
    ask,
    async somebody(role: Role = 'user'): Promise<Person> {
      const person = await stage.service.register(`keeper${++made}`)
      if (role !== 'user') await stage.accounts.setRole(person.id, role)
      return person
    },
    create: ({ accessToken: token }: Pick<Person, 'accessToken'>, body: object = { name: 'key', scopes: ['images'] }) =>
      stage.service.request('POST', '/auth/keys', { token, body }),
    me: (secret: string) => ask('GET', '/auth/me', secret),
  }
}
