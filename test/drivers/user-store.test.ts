import { stores } from '../support/stores.ts'
import { usersContract } from './user-store.contract.ts'

for (const store of stores) usersContract(store)
