import { objectStores } from '../support/object-stores.ts'
import { objectStoreContract } from './objects.contract.ts'
import { objectListContract } from './objects-list.contract.ts'

for (const stage of objectStores) {
  objectStoreContract(stage)
  objectListContract(stage)
}
