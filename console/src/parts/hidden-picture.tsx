import { useEffect, useRef, useState } from 'react'
import { MenagerieError } from '../../../client/src/client.ts'
import { useSession } from '../session/session.ts'
import { near } from './picture.tsx'
import { enqueuePicture } from './picture-queue.ts'

interface Props {
  readonly name: string
  /** Whether it is known to be deleted. */
  readonly isGone: boolean
  /** Called when that is found. */
  readonly onGone: () => void
}

/**
 * An image that `/i` does not serve, as stored. Fetched, since an `<img>` cannot send the header by which the session
 * counts over plain http.
 */
export function HiddenPicture({ name, isGone, onGone }: Props) {
  const { client } = useSession()
  const [url, setUrl] = useState<string | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const place = useRef<HTMLDivElement>(null)
  const found = useRef(onGone)
  found.current = onGone

  useEffect(() => {
    if (!place.current) return undefined
    const ended = new AbortController()
    const { signal } = ended
    let own = ''
    let end = () => {}
    const load = async () => {
      try {
        own = URL.createObjectURL(await client.admin.imageBytes(name, { signal }))
        setUrl(own)
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof MenagerieError && error.status === 404) found.current()
        else setFailure('Cannot be shown')
      } finally {
        end()
      }
    }
    const sight = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        sight.disconnect()
        end = enqueuePicture(() => void load())
      },
      { rootMargin: near },
    )
    sight.observe(place.current)
    return () => {
      sight.disconnect()
      ended.abort()
      end()
      URL.revokeObjectURL(own)
    }
  }, [client, name])

  if (isGone || failure !== null)
    return (
      <p className="placeholder">
        {isGone ? 'Deleted' : failure}
        <span className="hidden"> {name}</span>
      </p>
    )
  if (url === null) return <div className="picture-place" ref={place} />
  return <img src={url} alt={name} decoding="async" onError={() => setFailure('Damaged')} />
}
