import { useState } from 'react'
import { imagePath, largeBytes } from './image-path.ts'
import { sizeText } from './size.ts'

interface Props {
  /** Such as `fox/dusk.png`. */
  readonly name: string
  readonly size: number
}

/** The image itself; a large one only when it is asked for. */
export function Thumbnail({ name, size }: Props) {
  const [isWanted, setIsWanted] = useState(size <= largeBytes)
  if (!isWanted)
    return (
      <button type="button" className="thumbnail is-absent" onClick={() => setIsWanted(true)}>
        Show {sizeText(size)}
        <span className="hidden"> of {name}</span>
      </button>
    )
  return (
    <a href={imagePath(name)} target="_blank" rel="noreferrer">
      <img
        className="thumbnail"
        src={imagePath(name)}
        alt={name}
        width={160}
        height={160}
        loading="lazy"
        decoding="async"
      />
    </a>
  )
}
