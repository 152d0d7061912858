import { useCallback, useMemo, useRef, useState } from 'react'
import type { ImageDescriptor } from '../../../../client/src/client.ts'
import { countOf } from './bulk-dialog.tsx'

type Selected = ReadonlyMap<string, ImageDescriptor>

const none: Selected = new Map()

/** The selected images by name, of those that `shown` lists in its order. */
export function useSelection(shown: readonly ImageDescriptor[]) {
  const [selected, setSelected] = useState(none)
  const order = useRef(shown)
  order.current = shown
  const last = useRef<string | null>(null)
  /** With `isRange`, all from the one that was clicked before. */
  const toggle = useCallback((image: ImageDescriptor, isRange: boolean) => {
    const from = order.current.findIndex(({ name }) => name === last.current)
    const to = order.current.findIndex(({ name }) => name === image.name)
    last.current = image.name
    setSelected((known) => {
      const next = new Map(known)
      if (isRange && from >= 0 && to >= 0) {
        const range = order.current.slice(Math.min(from, to), Math.max(from, to) + 1)
        for (const each of range) next.set(each.name, each)
      } else if (!next.delete(image.name)) next.set(image.name, image)
      return next
    })
  }, [])
  return useMemo(
    () => ({
      selected,
      toggle,
      add: (images: readonly ImageDescriptor[]) =>
        setSelected((known) => new Map([...known, ...images.map((each) => [each.name, each] as const)])),
      remove: (images: readonly ImageDescriptor[]) =>
        setSelected((known) => {
          const next = new Map(known)
          for (const { name } of images) next.delete(name)
          return next
        }),
      clear: () => setSelected(none),
    }),
    [selected, toggle],
  )
}

export type Act = 'describe' | 'download' | 'hide' | 'move' | 'delete'

const acts = [
  ['describe', 'Describe'],
  ['hide', 'Hide'],
  ['move', 'Move'],
  ['download', 'Download'],
  ['delete', 'Delete'],
] as const satisfies readonly (readonly [Act, string])[]

interface Props {
  readonly count: number
  readonly isAdmin: boolean
  readonly isAddingAll: boolean
  readonly onAll: () => void
  readonly onClear: () => void
  readonly onAct: (act: Act) => void
}

/** What can be done with the selected images; in view while the page scrolls. */
export function Selection({ count, isAdmin, isAddingAll, onAll, onClear, onAct }: Props) {
  if (count === 0) return null
  return (
    <section className="selection" aria-label="Selected images">
      <p>
        <span role="status">{countOf(count)} selected</span>
        <button type="button" className="link-button" aria-busy={isAddingAll} onClick={onAll}>
          {isAddingAll ? 'Selecting…' : 'Select all that match'}
        </button>
        <button type="button" className="link-button" onClick={onClear}>
          Clear selection
        </button>
      </p>
      <div className="actions">
        {acts
          .filter(([act]) => isAdmin || act === 'hide' || act === 'download')
          .map(([act, label]) => (
            <button
              key={act}
              type="button"
              className={act === 'delete' ? 'button is-danger' : 'button'}
              onClick={() => onAct(act)}
            >
              {label}
            </button>
          ))}
      </div>
    </section>
  )
}
