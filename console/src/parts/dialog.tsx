import { useRouter } from '@tanstack/react-router'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Ancestry, ancestryOf, focusAgain } from './focus.ts'
import { typedIn } from './typed.ts'

interface Props {
  readonly title: string
  readonly description?: ReactNode
  readonly isOpen: boolean
  /** Whether nothing but its content closes it. */
  readonly isHeld?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** What opened the latest dialog: also the opener of one that takes its place. */
let lastOpener: Ancestry = []

const hasText = (content: HTMLElement | null) => content !== null && typedIn(content).length > 0
const isSending = (content: HTMLElement | null) => Boolean(content?.querySelector('[aria-busy=true]'))

/**
 * Traps the focus and returns it. Escape, × or Back closes it, a second one if a text was typed, and neither while it is
 * held; a click outside never does. So no text and no new key is lost.
 */
export function Dialog({ title, description, isOpen, isHeld = false, onClose, children }: Props) {
  const opener = useRef<Ancestry>([])
  const content = useRef<HTMLDivElement>(null)
  /** What a second time discards the text. */
  const [asked, setAsked] = useState<'Press Escape' | 'Press ×' | 'Go back' | null>(null)
  // Null in a dialog over the page of no route.
  const history = useRouter({ warn: false })?.history
  // Before any of its fields takes the focus.
  useLayoutEffect(() => {
    if (!isOpen) return
    if (document.activeElement !== document.body) lastOpener = ancestryOf(document.activeElement)
    opener.current = lastOpener
  }, [isOpen])
  // What it asked no longer fits once the form is sent, was refused, or is gone.
  useEffect(() => {
    if (asked === null || content.current === null) return
    const observer = new MutationObserver((changes) => {
      if (changes.some(({ type }) => type === 'attributes') || !hasText(content.current)) setAsked(null)
    })
    observer.observe(content.current, { subtree: true, childList: true, attributeFilter: ['aria-busy'] })
    return () => observer.disconnect()
  }, [asked])
  useEffect(() => {
    if (!isOpen) return
    const isLost = () => isHeld || hasText(content.current)
    return history?.block({
      enableBeforeUnload: isLost,
      blockerFn({ action }) {
        if (action === 'PUSH' || action === 'REPLACE' || !isLost()) return false
        if (!isHeld && asked === 'Go back') return false
        if (!isHeld) setAsked('Go back')
        return true
      },
    })
  }, [isOpen, isHeld, asked, history])
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && !isHeld && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="overlay" />
        <Radix.Content
          className="dialog"
          ref={content}
          {...(!description && { 'aria-describedby': undefined })}
          onInteractOutside={(event) => event.preventDefault()}
          onInput={() => setAsked(null)}
          onClick={() => setAsked(null)}
          onEscapeKeyDown={(event) => {
            if (asked === 'Press Escape' || isHeld || !hasText(content.current)) return
            event.preventDefault()
            setAsked('Press Escape')
          }}
          onOpenAutoFocus={(event) => {
            // Holding Enter must not trigger an act that cannot be undone.
            const first = event.target instanceof Element && event.target.querySelector<HTMLElement>('[data-first]')
            if (!first) return
            event.preventDefault()
            first.focus()
          }}
          onCloseAutoFocus={(event) => {
            // Radix only knows its own triggers.
            event.preventDefault()
            if (document.activeElement === document.body) focusAgain(opener.current)
          }}
        >
          <div className="dialog-body">
            <div className="dialog-head">
              <Radix.Title>{title}</Radix.Title>
              {asked && (
                <p className="notice" role="status">
                  {isSending(content.current)
                    ? `${asked} again to close this. What you have written is being sent, and closing does not stop it.`
                    : `${asked} again to discard what you have written.`}
                </p>
              )}
            </div>
            {description && <Radix.Description asChild>{<div>{description}</div>}</Radix.Description>}
            {children}
          </div>
          {!isHeld && (
            <Radix.Close
              className="icon-button dialog-close"
              aria-label="Close"
              onClick={(event) => {
                // Of the dialog, which forgets on a click that it asked.
                event.stopPropagation()
                if (asked === 'Press ×' || !hasText(content.current)) return
                event.preventDefault()
                setAsked('Press ×')
              }}
            >
              ×
            </Radix.Close>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
