import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

interface Props {
  readonly title: string
  readonly description?: ReactNode
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Keeps the focus, and gives it back; Escape closes it. */
export function Dialog({ title, description, isOpen, onClose, children }: Props) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="overlay" />
        <Radix.Content className="dialog" {...(!description && { 'aria-describedby': undefined })}>
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
