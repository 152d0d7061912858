import { allObjectStores } from '../../support/object-stores.ts'
import { objectStoreContract } from './objects.contract.ts'
import { objectListContract } from './objects-list.contract.ts'

for (const stage of allObjectStores) {
  objectStoreContract(stage)
  objectListContract(stage)
}
