import { useSyncExternalStore } from 'react'
import { textWithRequest } from './failure.tsx'
import { createListeners } from './listeners.ts'

interface Toast {
  readonly id: number
  readonly text: string
  readonly isFailure: boolean
  readonly action?: { readonly label: string; readonly run: () => void } | undefined
}

let toasts: readonly Toast[] = []
let lastId = 0
const { tell, subscribe } = createListeners()

function set(next: readonly Toast[]): void {
  toasts = next
  tell()
}

const hide = (id: number) => set(toasts.filter((toast) => toast.id !== id))

export const hideToasts = () => set([])

interface Options extends Partial<Pick<Toast, 'isFailure' | 'action'>> {
  readonly ms?: number
  /** Until it is hidden or closed, as failures. */
  readonly isLasting?: boolean
}

/** Returns a function that hides the message. */
export function showToast(
  text: string,
  { isFailure = false, isLasting = isFailure, action, ms = 6_000 }: Options = {},
) {
  const id = ++lastId
  set([{ id, text, isFailure, action }, ...toasts])
  if (!isLasting) setTimeout(hide, ms, id)
  return () => hide(id)
}

const undoMs = 20_000

/** After an act that can be taken back. */
export const showUndo = (text: string, undo: () => void) =>
  showToast(text, { action: { label: 'Undo', run: undo }, ms: undoMs })

export function showFailure(error: unknown): void {
  showToast(textWithRequest(error), { isFailure: true })
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <ul className="toasts" aria-live="polite" aria-label="Messages">
      {shown.map(({ id, text, isFailure, action }) => (
        <li key={id} className={isFailure ? 'toast is-failure' : 'toast'}>
          <span dir="auto" id={`message-${id}`}>
            {text}
          </span>
          {action && (
            <button
              type="button"
              className="button"
              aria-describedby={`message-${id}`}
              onClick={() => {
                action.run()
                hide(id)
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" className="icon-button" aria-label="Close" onClick={() => hide(id)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  )
}
