import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ImageDescriptor } from '../../../../client/src/client.ts'
import { Tile } from './tile.tsx'

interface Props {
  readonly images: readonly ImageDescriptor[]
  /** There are no more images. */
  readonly isWhole: boolean
  /** Those that are selected, by name; null: none can be. */
  readonly selected: ReadonlyMap<string, unknown> | null
  readonly onOpen: (image: ImageDescriptor) => void
  readonly onToggle: (image: ImageDescriptor, isRange: boolean) => void
  /** Called when the last images are near. */
  readonly onEnd: () => void
}

/** In rem; style/images.css must match the height. */
const minWidth = 10.5
const height = 15
const overscan = 2

const remPx = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)

/** Only the visible rows and the focused one are in the document, however many there are. */
export function Tiles({ images, isWhole, selected, onOpen, onToggle, onEnd }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const { columns, top } = useGrid(list)
  const rowCount = Math.ceil(images.length / columns)
  const focused = useRef<number | null>(null)
  const rows = useWindowVirtualizer({
    count: rowCount,
    estimateSize: () => height * remPx(),
    overscan,
    scrollMargin: top,
    rangeExtractor(range) {
      const row = focused.current === null ? -1 : Math.floor(focused.current / columns)
      const inSight = defaultRangeExtractor(range)
      return row < 0 || row >= rowCount ? inSight : [...new Set([...inSight, row])].sort((one, other) => one - other)
    },
  })
  const inSight = rows.getVirtualItems()
  const isAtEnd = (rows.range?.endIndex ?? 0) >= rowCount - 1 - overscan
  useEffect(() => {
    if (isAtEnd) onEnd()
  }, [isAtEnd, onEnd])

  return (
    <ul
      className="tiles"
      ref={list}
      aria-label="Images"
      style={{ height: rows.getTotalSize() }}
      onFocus={({ target }) => {
        focused.current = Number(target.closest('li')?.getAttribute('aria-posinset')) - 1
      }}
      onBlur={() => {
        focused.current = null
      }}
    >
      {inSight.flatMap(({ index: row, start }) =>
        images.slice(row * columns, (row + 1) * columns).map((image, column) => (
          <Tile
            key={image.name}
            image={image}
            index={row * columns + column}
            count={isWhole ? images.length : -1}
            style={{
              width: `${100 / columns}%`,
              transform: `translate(${column * 100}%, ${start - top}px)`,
            }}
            isSelected={selected?.has(image.name) ?? null}
            isSelecting={(selected?.size ?? 0) > 0}
            onOpen={onOpen}
            onToggle={onToggle}
          />
        )),
      )}
    </ul>
  )
}

/** How many tiles fit side by side, and where in the document they begin, which depends on what is above. */
function useGrid(list: RefObject<HTMLUListElement | null>) {
  const [grid, setGrid] = useState({ columns: 1, top: 0 })
  useLayoutEffect(() => {
    const element = list.current
    if (!element) return undefined
    const measure = () => {
      const columns = Math.max(2, Math.floor(element.clientWidth / (minWidth * remPx())))
      const top = Math.round(element.getBoundingClientRect().top + scrollY)
      setGrid((known) => (known.columns === columns && known.top === top ? known : { columns, top }))
    }
    measure()
    const resizes = new ResizeObserver(measure)
    resizes.observe(element)
    resizes.observe(document.body)
    return () => resizes.disconnect()
  }, [list])
  return grid
}
