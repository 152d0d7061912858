import { priorityOf, type Role } from '../../src/accounts/roles.ts'

/** The pages in the navigation, and the lowest role that may see each. */
export const pages = [{ name: 'Overview', to: '/overview', from: 'user' }] as const satisfies readonly {
  readonly name: string
  readonly to: string
  readonly from: Role
}[]

export const isAtLeast = (role: Role, least: Role): boolean => priorityOf(role) >= priorityOf(least)
