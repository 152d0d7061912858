import { before } from 'node:test'
import { UserStoreForTests } from './account-editor.ts'
import { type ServiceSpec, startService, type TestService } from './service.ts'
import type { Store } from './stores.ts'

export interface Stage {
  service: TestService
  /** Another process's view of the same accounts. */
  accounts: UserStoreForTests
}

/** For a `describe`: one service on an empty store, and a second connection to that store; both closed at its end. */
export function withService(store: Store, spec: Omit<ServiceSpec, 'store' | 'place'> = {}): Stage {
  const stage = {} as Stage
  before(async () => {
    const place = await store.make()
    stage.service = await startService({ ...spec, place })
    stage.accounts = await UserStoreForTests.open(place)
  })
  return stage
}
