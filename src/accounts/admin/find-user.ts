import { refuse } from '../../http/refusal.ts'
import type { Directory, ListedUser } from '../directory.ts'
import { errors } from './errors.ts'
import { type Named, whoOf } from './identify.ts'

export async function findUser(directory: Directory, named: Named): Promise<ListedUser> {
  return (await directory.find(whoOf(named))) ?? refuse(errors.userNotFound)
}
