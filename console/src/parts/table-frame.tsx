import type { ReactNode } from 'react'

interface Props {
  readonly label: string
  /** Scrolls also down. */
  readonly isTall?: boolean
  readonly children: ReactNode
}

/** A table that scrolls by itself where it is too wide for the page, also by keyboard. */
export const TableFrame = ({ label, isTall = false, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
  <section className={isTall ? 'table-frame is-tall' : 'table-frame'} aria-label={label} tabIndex={0}>
    <table>{children}</table>
  </section>
)
