import { priorityOf, type Role } from '../../src/accounts/roles.ts'

interface NavigationEntry {
  readonly name: string
  readonly to: string
  /** The lowest role that may see the entry. */
  readonly from: Role
}

export const pages = [
  { name: 'Overview', to: '/overview', from: 'user' },
  { name: 'Users', to: '/users', from: 'support' },
  { name: 'Images', to: '/images', from: 'user' },
  { name: 'Reports', to: '/reports', from: 'moderator' },
  { name: 'Keys', to: '/keys', from: 'user' },
  { name: 'Audit', to: '/audit', from: 'admin' },
  { name: 'Status', to: '/status', from: 'support' },
] as const satisfies readonly NavigationEntry[]

export const isAtLeast = (role: Role, least: Role): boolean => priorityOf(role) >= priorityOf(least)
