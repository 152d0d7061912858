import { Link, Outlet, useMatches } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Role } from '../../src/accounts/roles.ts'
import { pages } from './navigation.ts'
import { Failure } from './parts/failure.tsx'
import { useKeptFocus } from './parts/focus.ts'
import { Icon } from './parts/icons.tsx'
import { Page } from './parts/page.tsx'
import { Secrets } from './parts/secrets.tsx'
import { Site } from './parts/site.tsx'
import { ThemeSwitch } from './parts/theme-switch.tsx'
import { showFailure } from './parts/toasts.tsx'
import { useMe } from './session/me.ts'
import { useOpenWork } from './session/open-work.ts'
import { sessions, useSession } from './session/session.ts'

const holders: Readonly<Record<Role, string>> = {
  user: 'users',
  support: 'support',
  moderator: 'moderators',
  admin: 'administrators',
  owner: 'owners',
}

/** The role that this browser knows may be an old one: asks once more. */
function Refused({ page }: { readonly page: (typeof pages)[number] }) {
  const { user } = useSession()
  const { refetch } = useMe()
  useEffect(() => void refetch(), [refetch])
  return (
    <Page title={page.name}>
      <Failure
        error={`This page is for ${holders[page.roles[0] as Role]} and above; your role is ${user.role}. If it was changed just now, try again.`}
        onRetry={() => void refetch()}
      />
      <p>
        <Link to="/overview">Go to the overview</Link>
      </p>
    </Page>
  )
}

export function Layout() {
  const { user } = useSession()
  useMe()
  const open = useOpenWork()
  // The path of what the Outlet shows: the address changes earlier.
  const pathname = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? '' })
  useKeptFocus()
  const page = pages.find(({ to }) => pathname === to || pathname.startsWith(`${to}/`))
  return (
    <>
      {/* No link, since the hash is the address of the page. */}
      <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header className="top">
        <Link className="brand" to="/overview">
          <Site />
        </Link>
        <p className="top-links">
          <ThemeSwitch />
          <a href="docs" title="Reference">
            <Icon name="reference" /> <span>Reference</span>
          </a>
          <Link to="/account" title={`Signed in as ${user.username} (${user.role})`}>
            <Icon name="account" /> <bdi>{user.username}</bdi>
          </Link>
          <button
            type="button"
            className="link-button"
            title="Sign out"
            onClick={() => void sessions.signOut().catch(showFailure)}
          >
            <Icon name="leave" /> <span>Sign out</span>
          </button>
        </p>
      </header>
      <div className="frame">
        <nav className="console-nav" aria-label="Console">
          <ul>
            {pages
              .filter((each) => each.roles.includes(user.role))
              .map(({ name, to, icon }) => (
                <li key={to}>
                  <Link to={to}>
                    <Icon name={icon} />
                    {name}
                    {open[to] && (
                      <span className="count">
                        {' '}
                        {open[to]}
                        <span className="hidden">{open[to] === '?' ? ' unknown' : ' open'}</span>
                      </span>
                    )}
                  </Link>
                </li>
              ))}
          </ul>
        </nav>
        <main id="main" tabIndex={-1}>
          {page && !page.roles.includes(user.role) ? <Refused key={page.to} page={page} /> : <Outlet />}
        </main>
      </div>
      <Secrets />
    </>
  )
}
