import type { ReactNode } from 'react'

interface Props {
  readonly label: string
  /** Whether it also scrolls vertically. */
  readonly isTall?: boolean
  readonly children: ReactNode
}

/** Lets a table that is too wide for the page scroll by itself, also by keyboard. */
export const TableFrame = ({ label, isTall = false, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
  <section className={isTall ? 'table-frame is-tall' : 'table-frame'} aria-label={label} tabIndex={0}>
    <table>{children}</table>
  </section>
)
