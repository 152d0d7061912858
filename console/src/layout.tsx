import { Link, Outlet, useMatches } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { pages } from './navigation.ts'
import { Failure } from './parts/failure.tsx'
import { useKeptFocus } from './parts/focus.ts'
import { Mark } from './parts/mark.tsx'
import { Page } from './parts/page.tsx'
import { showFailure } from './parts/toasts.tsx'
import { useMe } from './session/me.ts'
import { sessions, useSession } from './session/session.ts'

export function Layout() {
  const { user } = useSession()
  const { refetch } = useMe()
  // The path of what the Outlet shows: the address changes earlier.
  const pathname = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? '' })
  useKeptFocus()
  const page = pages.find(({ to }) => pathname === to || pathname.startsWith(`${to}/`))
  const nav = useRef<HTMLElement>(null)
  useEffect(() => showPresent(nav.current), [pathname])
  return (
    <>
      {/* No link, since the hash is the address of the page. */}
      <button type="button" className="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header className="top">
        <Link className="brand" to="/overview">
          <Mark /> <span>Console</span>
        </Link>
        <p className="top-links">
          <a href="docs">Reference</a>
          <Link to="/account" title={`Signed in as ${user.username} (${user.role})`}>
            <bdi>{user.username}</bdi>
          </Link>
          <button type="button" className="link-button" onClick={() => void sessions.signOut().catch(showFailure)}>
            Sign out
          </button>
        </p>
      </header>
      <div className="frame">
        <nav className="console-nav" aria-label="Console" ref={nav}>
          <ul>
            {pages
              .filter((each) => each.roles.includes(user.role))
              .map(({ name, to }) => (
                <li key={to}>
                  <Link to={to}>{name}</Link>
                </li>
              ))}
          </ul>
        </nav>
        <main id="main" tabIndex={-1}>
          {page && !page.roles.includes(user.role) ? (
            <Page title={page.name}>
              <Failure
                error={`This page is for ${page.roles[0]} and above; your role is ${user.role}.`}
                onRetry={() => void refetch()}
              />
            </Page>
          ) : (
            <Outlet />
          )}
        </main>
      </div>
    </>
  )
}

/** On a small screen, the navigation scrolls to the current entry, also after a resize. */
function showPresent(nav: HTMLElement | null): (() => void) | undefined {
  if (nav === null) return undefined
  const resizes = new ResizeObserver(() => {
    const entry = nav.querySelector<HTMLElement>('[aria-current]')
    if (entry) nav.scrollLeft = entry.offsetLeft - (nav.clientWidth - entry.offsetWidth) / 2
  })
  resizes.observe(nav)
  return () => resizes.disconnect()
}
