import { type CSSProperties, memo } from 'react'
import type { ImageDescriptor } from '../../../../client/src/client.ts'
import { Picture } from '../../parts/picture.tsx'
import { sizeText } from '../../parts/size.ts'

interface Props {
  readonly image: ImageDescriptor
  readonly index: number
  /** -1 if unknown. */
  readonly count: number
  readonly style: CSSProperties
  /** Null: it cannot be selected. */
  readonly isSelected: boolean | null
  /** A click on the picture selects, since others are selected. */
  readonly isSelecting: boolean
  readonly onOpen: (image: ImageDescriptor) => void
  readonly onToggle: (image: ImageDescriptor, isRange: boolean) => void
}

export function Tile({ image, index, count, style, ...content }: Props) {
  return (
    <li className="tile" style={style} aria-posinset={index + 1} aria-setsize={count}>
      <TileContent image={image} {...content} />
    </li>
  )
}

const TileContent = memo(function TileContent({
  image,
  isSelected,
  isSelecting,
  onOpen,
  onToggle,
}: Omit<Props, 'index' | 'count' | 'style'>) {
  const { name, size, width, height, animated } = image
  const filename = name.slice(name.indexOf('/') + 1)
  return (
    <div className={isSelected ? 'tile-content is-selected' : 'tile-content'}>
      <div className="tile-picture">
        <Picture key={image.etag} image={image} alt="" view="tile" />
      </div>
      <button
        type="button"
        className="tile-name"
        onClick={({ shiftKey }) =>
          isSelecting || (shiftKey && isSelected !== null) ? onToggle(image, shiftKey) : onOpen(image)
        }
      >
        <bdi>{filename}</bdi>
      </button>
      <p className="note">
        {width && height ? `${width} × ${height}, ` : ''}
        {sizeText(size)}
        {animated && ' · animated'}
      </p>
      {isSelected !== null && (
        <label className="tile-check">
          <input
            type="checkbox"
            aria-label={`Select ${filename}`}
            checked={isSelected}
            onClick={({ shiftKey }) => onToggle(image, shiftKey)}
            readOnly
          />
        </label>
      )}
    </div>
  )
})
