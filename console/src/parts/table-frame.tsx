import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { useMedia } from './media.ts'

interface Props {
  readonly label: string
  /** Whether it also scrolls vertically. */
  readonly isTall?: boolean
  /** Whether it needs the width of a desktop beside the navigation. */
  readonly isWide?: boolean
  readonly children: ReactNode
}

/** A table, or on a narrow screen a card for each row. Should it be too wide all the same, it scrolls, also by keyboard. */
export function TableFrame({ label, isTall = false, isWide = false, children }: Props) {
  const table = useRef<HTMLTableElement>(null)
  const isNarrow = useMedia(isWide ? '(width < 78rem)' : '(width < 40rem)')
  // After each render, since rows come and go.
  useLayoutEffect(() => {
    if (table.current) labelCells(table.current)
  })
  const names = ['table-frame', isTall && 'is-tall', isNarrow && 'is-cards'].filter(Boolean).join(' ')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <section className={names} aria-label={label} tabIndex={0}>
      <table ref={table}>{children}</table>
    </section>
  )
}

/** In a card, each value stands beside the heading of its column. */
function labelCells({ tHead, tBodies }: HTMLTableElement): void {
  const headings = [...(tHead?.rows[0]?.cells ?? [])].map(
    (cell) => (cell.firstElementChild ?? cell).firstChild?.textContent,
  )
  for (const { rows } of tBodies)
    for (const { cells } of rows) for (const cell of cells) cell.dataset.label = headings[cell.cellIndex] ?? ''
}
