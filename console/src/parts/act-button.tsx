import type { ComponentProps } from 'react'

interface Props extends ComponentProps<'button'> {
  readonly tone?: 'main' | 'danger' | undefined
  readonly isBusy?: boolean | undefined
  /** The reason is shown beside the button. */
  readonly isRefused?: boolean | undefined
}

/** Does nothing while busy or refused, or at the second click of a double click, but keeps the focus, which a disabled button would lose. */
export function ActButton({ tone, isBusy = false, isRefused = false, onClick, ...button }: Props) {
  const isInert = isBusy || isRefused
  return (
    <button
      type="button"
      {...button}
      className={tone ? `button is-${tone}` : 'button'}
      aria-busy={isBusy}
      aria-disabled={isInert}
      onClick={(event) => (isInert || event.detail > 1 ? event.preventDefault() : onClick?.(event))}
    />
  )
}
