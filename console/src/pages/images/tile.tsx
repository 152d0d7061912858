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
  /** Null: opens it. */
  readonly isSelected: boolean | null
  readonly onOpen: (image: ImageDescriptor) => void
  readonly onDelete: ((image: ImageDescriptor) => void) | null
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
  onOpen,
  onDelete,
}: Pick<Props, 'image' | 'isSelected' | 'onOpen' | 'onDelete'>) {
  const { name, size, width, height, animated } = image
  const filename = name.slice(name.indexOf('/') + 1)
  return (
    <div className="tile-content">
      <div className="tile-picture">
        <Picture key={image.etag} image={image} alt="" />
      </div>
      <button
        type="button"
        className="tile-name"
        {...(isSelected !== null && { 'aria-pressed': isSelected })}
        onClick={() => onOpen(image)}
      >
        <bdi>{filename}</bdi>
      </button>
      <p className="note">
        {width && height ? `${width} × ${height}, ` : ''}
        {sizeText(size)}
        {animated && ' · animated'}
      </p>
      {onDelete && (
        <button
          type="button"
          className="icon-button tile-delete"
          aria-label={`Delete ${filename}`}
          title="Delete"
          onClick={() => onDelete(image)}
        >
          ×
        </button>
      )}
    </div>
  )
})
