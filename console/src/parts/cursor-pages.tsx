import { useState } from 'react'

/** Where one is in a paginated list, and how one came there. Another `list` (its filters, as a text) begins anew. */
export function useCursorPages(list: string) {
  const [state, setState] = useState({ list, cursors: [] as readonly string[] })
  const cursors = state.list === list ? state.cursors : []
  return {
    cursor: cursors.at(-1),
    number: cursors.length + 1,
    next: (cursor: string) => setState({ list, cursors: [...cursors, cursor] }),
    previous: () => setState({ list, cursors: cursors.slice(0, -1) }),
  }
}

interface Props {
  readonly pages: ReturnType<typeof useCursorPages>
  readonly next: string | null | undefined
  readonly isBusy: boolean
}

export function Pager({ pages: { number, next: goOn, previous }, next, isBusy }: Props) {
  if (number === 1 && !next) return null
  return (
    <nav className="pager" aria-label="Pages">
      <button type="button" className="button" disabled={number === 1 || isBusy} onClick={previous}>
        Previous
      </button>
      <span className="note" aria-live="polite">
        Page {number}
      </span>
      <button type="button" className="button" disabled={!next || isBusy} onClick={() => next && goOn(next)}>
        Next
      </button>
    </nav>
  )
}
