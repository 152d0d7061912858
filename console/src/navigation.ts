import { permitted, type Role, roles } from '../../src/accounts/roles.ts'

interface NavigationEntry {
  readonly name: string
  readonly to: string
  /** Who may see the entry, from the lowest role on. */
  readonly roles: readonly Role[]
}

export const pages = [
  { name: 'Overview', to: '/overview', roles },
  { name: 'Users', to: '/users', roles: permitted.findUser },
  { name: 'Images', to: '/images', roles },
  { name: 'Reports', to: '/reports', roles: permitted.moderate },
  { name: 'Keys', to: '/keys', roles },
  { name: 'Audit', to: '/audit', roles: permitted.administer },
  { name: 'Status', to: '/status', roles: permitted.readStatus },
] as const satisfies readonly NavigationEntry[]
