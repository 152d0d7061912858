import { useLocation, useNavigate } from '@tanstack/react-router'

declare module '@tanstack/react-router' {
  interface HistoryState {
    readonly cursors?: readonly string[]
  }
}

/** The position in a paginated list and the way there, in the history so that Back works. New filters start over. */
export function useCursorPages() {
  const navigate = useNavigate()
  const { cursors = [] } = useLocation().state
  const go = (to: readonly string[]) => void navigate({ to: '.', search: true, state: { cursors: to } })
  return {
    cursor: cursors.at(-1),
    number: cursors.length + 1,
    next: (cursor: string) => go([...cursors, cursor]),
    previous: () => go(cursors.slice(0, -1)),
  }
}

interface Props {
  readonly pages: ReturnType<typeof useCursorPages>
  readonly next: string | null | undefined
  readonly isBusy: boolean
}

export function Pager({ pages: { number, next: goOn, previous }, next, isBusy }: Props) {
  if (number === 1 && !next) return null
  const mayGoBack = number > 1 && !isBusy
  const mayGoOn = !!next && !isBusy
  // Not disabled buttons, which would lose the focus.
  return (
    <nav className="pager" aria-label="Pages">
      <button type="button" className="button" aria-disabled={!mayGoBack} onClick={() => mayGoBack && previous()}>
        Previous
      </button>
      <span className="note" aria-live="polite">
        Page {number}
      </span>
      <button type="button" className="button" aria-disabled={!mayGoOn} onClick={() => mayGoOn && goOn(next)}>
        Next
      </button>
    </nav>
  )
}
