import { useEffect, useRef, useState } from 'react'
import type { ImageDescriptor } from '../../../client/src/client.ts'
import { imagePath, largeBytes, sizedPaths } from './image-path.ts'
import { enqueuePicture, pausePictures } from './picture-queue.ts'
import { sizeText } from './size.ts'

/** What has been loaded before comes from the browser's cache, and need not queue. Also large ones, once they were asked for. */
const known = new Set<string>()
/** Versions that the service cannot resize. */
const unsizable = new Set<string>()
/** Versions of which a browser may show a part, when it has them again from its cache. */
const damaged = new Set<string>()
/** Retry functions of the pictures that failed, most likely for the same reason. */
const failed = new Set<() => void>()

function loadFailed(): void {
  for (const again of failed) again()
}

const views = {
  tile: { widths: [160, 320, 640], sizes: '10rem' },
  dialog: { widths: [640, 1280, 1920], sizes: '36rem' },
} as const

/** How far from the view a picture is requested. */
export const near = '400px 0px'
const defaultPauseSeconds = 5
/** An unavailable store is no reason to repeat for ever. */
const maxUnavailable = 3

interface Props {
  readonly image: ImageDescriptor
  readonly alt: string
  readonly view: keyof typeof views
}

/** 'far' and 'queued' ones are not requested yet, 'asking' are large, and 'damaged' arrived but cannot be decoded. */
type State = 'far' | 'queued' | 'loading' | 'asking' | 'failed' | 'damaged'

/** The image in a size that suits the view; as it is stored if the service cannot resize it, a large one only on demand. */
export function Picture({ image, alt, view }: Props) {
  const { name, etag, size, width, height } = image
  const original = imagePath(name, etag)
  const [isOriginal, setIsOriginal] = useState(unsizable.has(original))
  const sized = isOriginal ? null : sizedPaths(name, etag, views[view].widths)
  const isAsking = sized === null && size > largeBytes
  const path = sized?.src ?? original
  const first: State = damaged.has(original) ? 'damaged' : known.has(path) ? 'loading' : isAsking ? 'asking' : 'far'
  const [state, setState] = useState<State>(first)
  const place = useRef<HTMLDivElement>(null)
  const end = useRef(() => {})
  const unavailable = useRef(0)
  const hasArrived = useRef(false)

  useEffect(() => {
    if (state !== 'far' || !place.current) return undefined
    const sight = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setState('queued'),
      { rootMargin: near },
    )
    sight.observe(place.current)
    return () => sight.disconnect()
  }, [state])
  useEffect(() => {
    if (state === 'queued') end.current = enqueuePicture(() => setState('loading'))
    if (state !== 'failed') return undefined
    const again = () => {
      unavailable.current = 0
      setState('queued')
    }
    failed.add(again)
    return () => void failed.delete(again)
  }, [state])
  useEffect(() => () => end.current(), [])

  const onLoad = async (picture: HTMLImageElement) => {
    // What the service cannot resize may be cut off: of such a WebP, a browser reads the header and shows nothing.
    if (sized === null && image.mime && !(await hasPixels(picture))) return onError(picture.currentSrc)
    known.add(path)
    end.current()
  }
  const onError = async (from: string) => {
    const answer = await statusOf(from || path)
    if (answer.status === 503) unavailable.current++
    const isToWait = answer.status === 429 || (answer.status === 503 && unavailable.current < maxUnavailable)
    // What made it fail may be over by now: only the second time, it is the image.
    const isToRepeat = answer.status === 200 && !hasArrived.current
    if (answer.status === 200) hasArrived.current = true
    if (isToWait) pausePictures(answer.seconds)
    end.current()
    if (isToWait || isToRepeat) setState('queued')
    else if (answer.status === 422 && sized !== null) {
      unsizable.add(original)
      setIsOriginal(true)
      setState(size > largeBytes ? 'asking' : 'queued')
    } else if (answer.status === 200) {
      if (sized === null) damaged.add(original)
      setState('damaged')
    } else setState('failed')
  }

  if (state === 'failed')
    return (
      <button type="button" className="placeholder" onClick={loadFailed}>
        Cannot be shown: load again<span className="hidden"> {name}</span>
      </button>
    )
  if (state === 'damaged')
    return (
      <p className="placeholder">
        Damaged<span className="hidden">: {name} cannot be decoded</span>
      </p>
    )
  if (state === 'asking')
    return (
      <button
        type="button"
        className="placeholder"
        onClick={() => {
          known.add(path)
          setState('queued')
        }}
      >
        Show {sizeText(size)}
        <span className="hidden"> of {name}</span>
      </button>
    )
  if (state !== 'loading') return <div className="picture-place" ref={place} />
  return (
    <img
      {...(sized && { ...sized, sizes: views[view].sizes })}
      {...(sized === null && { src: original })}
      alt={alt}
      width={width ?? 320}
      height={height ?? 320}
      decoding="async"
      onLoad={({ currentTarget }) => void onLoad(currentTarget)}
      onError={({ currentTarget }) => void onError(currentTarget.currentSrc)}
    />
  )
}

/** An `<img>` says so neither by an event nor by `decode`. */
const hasPixels = (picture: HTMLImageElement) =>
  createImageBitmap(picture, { resizeWidth: 1, resizeHeight: 1 }).then(
    (pixels) => {
      pixels.close()
      return true
    },
    () => false,
  )

/** An `<img>` does not tell why it failed. */
async function statusOf(path: string) {
  try {
    const { status, headers } = await fetch(path, { method: 'HEAD', cache: 'no-store' })
    return { status, seconds: Number(headers.get('Retry-After')) || defaultPauseSeconds }
  } catch {
    return { status: 0, seconds: 0 }
  }
}
