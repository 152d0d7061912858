import { useEffect, useState } from 'react'
import type { ImageDescriptor } from '../../../client/src/client.ts'
import { imagePath, largeBytes } from './image-path.ts'
import { sizeText } from './size.ts'

/** Large images shown on demand; they stay visible after scrolling back. */
const shown = new Set<string>()
/** Retry functions of the images that failed, most likely for the same reason. */
const failed = new Set<() => void>()

function loadFailed(): void {
  for (const again of failed) again()
}

interface Props {
  readonly image: ImageDescriptor
  readonly alt: string
}

/** The image itself; a large one only on demand. */
export function Picture({ image, alt }: Props) {
  const { name, etag, size, width, height } = image
  const path = imagePath(name, etag)
  const [isShown, setIsShown] = useState(size <= largeBytes || shown.has(path))
  const [hasFailed, setHasFailed] = useState(false)
  useEffect(() => {
    if (!hasFailed) return undefined
    const again = () => setHasFailed(false)
    failed.add(again)
    return () => void failed.delete(again)
  }, [hasFailed])
  if (hasFailed)
    return (
      <button type="button" className="placeholder" onClick={loadFailed}>
        Cannot be shown: load again<span className="hidden"> {name}</span>
      </button>
    )
  if (!isShown)
    return (
      <button
        type="button"
        className="placeholder"
        onClick={() => {
          shown.add(path)
          setIsShown(true)
        }}
      >
        Show {sizeText(size)}
        <span className="hidden"> of {name}</span>
      </button>
    )
  return (
    <img
      src={path}
      alt={alt}
      width={width ?? 320}
      height={height ?? 320}
      loading="lazy"
      decoding="async"
      onError={() => setHasFailed(true)}
    />
  )
}
