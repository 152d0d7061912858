import { DropdownMenu } from 'radix-ui'
import { type ReactNode, useRef, useState } from 'react'

export interface MenuItem {
  readonly label: string
  readonly isFinal?: boolean
  readonly run: () => void
}

/** A button that opens a list of acts. `label` tells what they act on where `children` do not. */
export function Menu({
  label,
  items,
  isSmall = false,
  children,
}: {
  readonly label: string
  readonly isSmall?: boolean
  readonly items: readonly MenuItem[]
  readonly children: ReactNode
}) {
  const button = useRef<HTMLButtonElement>(null)
  const chosen = useRef<MenuItem | null>(null)
  /** Within the landmark of its button, but outside of what scrolls there. */
  const [landmark, setLandmark] = useState<HTMLElement | null>(null)
  const find = () => setLandmark(button.current?.closest<HTMLElement>('[role=dialog], main') ?? null)
  return (
    <DropdownMenu.Root modal={false} onOpenChange={find}>
      <DropdownMenu.Trigger className={isSmall ? 'icon-button' : 'button'} aria-label={label} ref={button}>
        {children}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={landmark}>
        <DropdownMenu.Content
          className="menu"
          align="start"
          sideOffset={4}
          collisionBoundary={landmark}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            // A dialog that opens now returns the focus to the button.
            event.preventDefault()
            button.current?.focus()
            chosen.current?.run()
            chosen.current = null
          }}
        >
          {items.map((item) => (
            <DropdownMenu.Item
              key={item.label}
              className={item.isFinal ? 'menu-item is-danger' : 'menu-item'}
              onSelect={() => {
                chosen.current = item
              }}
            >
              {item.label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
