import { permitted, type Role, roles } from '../../src/accounts/roles.ts'
import type { IconName } from './parts/icons.tsx'

interface NavigationEntry {
  readonly name: string
  readonly to: string
  readonly icon: IconName
  /** Who may see the entry, from the lowest role on. */
  readonly roles: readonly Role[]
}

export const pages = [
  { name: 'Overview', to: '/overview', icon: 'overview', roles },
  { name: 'Users', to: '/users', icon: 'users', roles: permitted.findUser },
  { name: 'Images', to: '/images', icon: 'images', roles },
  { name: 'Reports', to: '/reports', icon: 'reports', roles: permitted.moderate },
  { name: 'Keys', to: '/keys', icon: 'keys', roles },
  { name: 'Audit', to: '/audit', icon: 'audit', roles: permitted.administer },
  { name: 'Status', to: '/status', icon: 'status', roles: permitted.readStatus },
] as const satisfies readonly NavigationEntry[]
