import { useState } from 'react'

interface Props {
  /** Such as `fox/dusk.png`. */
  readonly name: string
  readonly size: number
}

const maxBytes = 2_000_000

/** Where everybody finds the image: beside the console, whatever path a proxy gives both. */
export const imagePath = (name: string): string => `i/${name.split('/').map(encodeURIComponent).join('/')}`

/** The image itself, since the service resizes none; a large one only when it is asked for. */
export function Thumbnail({ name, size }: Props) {
  const [isWanted, setIsWanted] = useState(size <= maxBytes)
  if (!isWanted)
    return (
      <button type="button" className="thumbnail is-absent" onClick={() => setIsWanted(true)}>
        Show {(size / 1_000_000).toFixed(1)} MB<span className="hidden"> of {name}</span>
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
