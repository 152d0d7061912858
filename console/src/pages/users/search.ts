import { type Role, roles } from '../../../../src/accounts/roles.ts'

const sorts = ['-createdAt', 'createdAt', 'username', '-username', '-total', 'total'] as const
export type Sort = (typeof sorts)[number]

/** State in the address of the page. */
export interface UserSearch {
  readonly q?: string
  readonly role?: Role
  readonly banned?: 'true' | 'false'
  readonly sort?: Sort
}

const oneOf = <T>(values: readonly T[], value: unknown): T | undefined => values.find((each) => each === value)

export function readUserSearch(found: Record<string, unknown>): UserSearch {
  const role = oneOf(roles, found.role)
  const banned = oneOf(['true', 'false'] as const, String(found.banned))
  const sort = oneOf(sorts, found.sort)
  return {
    ...(found.q !== undefined && found.q !== '' && { q: String(found.q) }),
    ...(role && { role }),
    ...(banned && { banned }),
    ...(sort && { sort }),
  }
}
