import { useCallback, useMemo, useRef, useState } from 'react'
import { countOf, type Named } from './bulk-dialog.tsx'

interface Entry<Image extends Named> {
  readonly image: Image
  /** That of the list in which it was selected. */
  readonly filter: string
}

/** The selected images by name, of those that `shown` lists in its order; they stay selected if the filter changes. */
export function useSelection<Image extends Named>(shown: readonly Image[], filter: string) {
  const [selected, setSelected] = useState<ReadonlyMap<string, Entry<Image>>>(new Map())
  const list = useRef({ shown, filter })
  list.current = { shown, filter }
  const last = useRef<string | null>(null)
  /** With `isRange`, all from the one that was clicked before. */
  const toggle = useCallback((image: Image, isRange: boolean) => {
    const { shown, filter } = list.current
    const from = shown.findIndex(({ name }) => name === last.current)
    const to = shown.findIndex(({ name }) => name === image.name)
    last.current = image.name
    setSelected((known) => {
      const next = new Map(known)
      if (isRange && from >= 0 && to >= 0) {
        const range = shown.slice(Math.min(from, to), Math.max(from, to) + 1)
        for (const each of range) next.set(each.name, { image: each, filter })
      } else if (!next.delete(image.name)) next.set(image.name, { image, filter })
      return next
    })
  }, [])
  const outside = useMemo(() => {
    const listed = new Set(shown.map(({ name }) => name))
    return [...selected].filter(([name, entry]) => entry.filter !== filter && !listed.has(name)).length
  }, [selected, shown, filter])
  return useMemo(
    () => ({
      selected,
      /** How many of them the present filter does not show. */
      outside,
      toggle,
      replace: (images: readonly Image[], filter: string) =>
        setSelected(new Map(images.map((image) => [image.name, { image, filter }] as const))),
      remove: (images: readonly Named[]) =>
        setSelected((known) => {
          const next = new Map(known)
          for (const { name } of images) next.delete(name)
          return next
        }),
      clear: () => setSelected(new Map()),
    }),
    [selected, outside, toggle],
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
  readonly outside: number
  readonly isAdmin: boolean
  readonly isAddingAll: boolean
  readonly onAll: () => void
  readonly onClear: () => void
  readonly onAct: (act: Act) => void
}

/** What can be done with the selected images; in view while the page scrolls. */
export function Selection({ count, outside, isAdmin, isAddingAll, onAll, onClear, onAct }: Props) {
  if (count === 0) return null
  return (
    <section className="selection" id="selection" tabIndex={-1} aria-label="Selected images">
      <p>
        <span role="status">
          {countOf(count)} selected
          {outside > 0 &&
            (count === 1 ? ', not shown here' : `, ${outside.toLocaleString('en')} of them not shown here`)}
        </span>
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
