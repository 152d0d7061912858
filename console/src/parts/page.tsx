import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { titleOf } from './site.tsx'

interface Props {
  readonly title: string
  /** A link to the page that this one belongs to. */
  readonly parent?: ReactNode
  /** Beside the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/**
 * The title gets the focus on navigation, so that a screen reader says where the user is. On the overview it is the field
 * where most tasks begin, unless it would open the keyboard of a touch screen.
 */
export function Page({ title, parent, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { pathname } = useLocation()
  useEffect(() => {
    document.title = titleOf(title)
  }, [title])
  // Not on a change of the title, such as a rename.
  useEffect(() => {
    const first = matchMedia('(pointer: fine)').matches && document.querySelector<HTMLElement>('main [data-first]')
    const target = first || heading.current
    target?.focus({ preventScroll: true })
  }, [pathname])
  return (
    <>
      {parent && <p className="page-parent">{parent}</p>}
      <header className="page-head">
        <h1 ref={heading} tabIndex={-1} dir="auto">
          {title}
        </h1>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}
