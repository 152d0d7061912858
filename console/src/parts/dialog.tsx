import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { focusAgain, type Place, placeOf } from './focus.ts'

interface Props {
  readonly title: string
  readonly description?: ReactNode
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/**
 * Keeps the focus, and gives it back; Escape closes it, a click beside it does not: nothing typed, no new key is lost.
 */
export function Dialog({ title, description, isOpen, onClose, children }: Props) {
  const opener = useRef<Place>([])
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="overlay" />
        <Radix.Content
          className="dialog"
          {...(!description && { 'aria-describedby': undefined })}
          onInteractOutside={(event) => event.preventDefault()}
          onOpenAutoFocus={(event) => {
            opener.current = placeOf(document.activeElement)
            // What cannot be undone is not done by pressing Enter for too long.
            const first = event.target instanceof Element && event.target.querySelector<HTMLElement>('[data-first]')
            if (!first) return
            event.preventDefault()
            first.focus()
          }}
          onCloseAutoFocus={(event) => {
            // Radix knows only openers of its own.
            event.preventDefault()
            if (document.activeElement === document.body) focusAgain(opener.current)
          }}
        >
          <div className="dialog-body">
            <Radix.Title>{title}</Radix.Title>
            {description && <Radix.Description asChild>{<div>{description}</div>}</Radix.Description>}
            {children}
          </div>
          <Radix.Close className="icon-button dialog-close" aria-label="Close">
            ×
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
