import { stores } from '../../support/stores.ts'
import { changeContract } from './change.contract.ts'
import { concurrentContract } from './concurrent.contract.ts'
import { usersContract } from './user-store.contract.ts'

for (const store of stores) {
  usersContract(store)
  changeContract(store)
  concurrentContract(store)
}
