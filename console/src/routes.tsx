import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { Layout } from './layout.tsx'
import { readAuditSearch } from './pages/audit/search.ts'
import { readImageSearch } from './pages/images/search.ts'
import { readReportSearch } from './pages/reports/search.ts'
import { readUserSearch } from './pages/users/search.ts'
import { Crashed, NotFound } from './parts/crashed.tsx'
import { createNumberedHistory } from './parts/history.ts'

const root = createRootRoute({ component: Layout, notFoundComponent: NotFound, errorComponent: Crashed })

const routeTree = root.addChildren([
  createRoute({
    getParentRoute: () => root,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/overview', replace: true })
    },
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/overview',
    component: lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'Overview'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/users',
    validateSearch: readUserSearch,
    component: lazyRouteComponent(() => import('./pages/users/users.tsx'), 'Users'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/users/$userId',
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import('./pages/users/user.tsx'), 'User'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/images',
    validateSearch: readImageSearch,
    component: lazyRouteComponent(() => import('./pages/images/images.tsx'), 'Images'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/reports',
    validateSearch: readReportSearch,
    component: lazyRouteComponent(() => import('./pages/reports/reports.tsx'), 'Reports'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/keys',
    component: lazyRouteComponent(() => import('./pages/keys/keys.tsx'), 'Keys'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/audit',
    validateSearch: readAuditSearch,
    component: lazyRouteComponent(() => import('./pages/audit/audit.tsx'), 'Audit'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/status',
    component: lazyRouteComponent(() => import('./pages/status/status.tsx'), 'Status'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/status/$componentId',
    remountDeps: ({ params }) => params,
    component: lazyRouteComponent(() => import('./pages/status/component.tsx'), 'Component'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/sessions',
    component: lazyRouteComponent(() => import('./pages/sessions/sessions.tsx'), 'Sessions'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account',
    component: lazyRouteComponent(() => import('./pages/account/account.tsx'), 'Account'),
  }),
])

/** Routes are in the hash, so that the page works below any path and usernames reach no access log. */
export const router = createRouter({
  routeTree,
  history: createNumberedHistory(),
  defaultErrorComponent: Crashed,
  defaultPreload: 'intent',
  defaultPendingMs: 200,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
