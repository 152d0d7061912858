import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useRef } from 'react'

interface Props {
  readonly title: string
  readonly description?: ReactNode
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Keeps the focus, and gives it back; Escape closes it, a click beside it does not: nothing typed, no new key is lost. */
export function Dialog({ title, description, isOpen, onClose, children }: Props) {
  const opener = useRef<Element>(null)
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="overlay" />
        <Radix.Content
          className="dialog"
          {...(!description && { 'aria-describedby': undefined })}
          onInteractOutside={(event) => event.preventDefault()}
          onOpenAutoFocus={() => {
            opener.current = document.activeElement
          }}
          onCloseAutoFocus={(event) => {
            // Radix knows only openers of its own.
            event.preventDefault()
            if (document.activeElement === document.body) focusAgain(opener.current)
          }}
        >
          <Radix.Title>{title}</Radix.Title>
          {description && <Radix.Description asChild>{<div>{description}</div>}</Radix.Description>}
          {children}
          <Radix.Close className="icon-button dialog-close" aria-label="Close">
            ×
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Or the title of the page, if what opened the dialog is gone. */
function focusAgain(opener: Element | null): void {
  const isThere = opener?.isConnected && opener !== document.body
  const target = isThere ? opener : document.querySelector('h1')
  if (target instanceof HTMLElement) target.focus()
}
