import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { ImageDescriptor } from '../../../../client/src/client.ts'
import { useSession } from '../../session/session.ts'
import { type ImageSearch, readImageSearch } from './search.ts'

/** The image in the dialog. Its name is in the address, so that Back closes it, and a link opens it. */
export function useOpenedImage(name: string | undefined) {
  const { client } = useSession()
  const navigate = useNavigate()
  const { history } = useRouter()
  const [linked, setLinked] = useState(name)
  const [opened, setOpened] = useState<ImageDescriptor | null>(null)
  /** Whether the address before this one is the same without the name. */
  const isPushed = useRef(false)
  const found = useQuery({
    queryKey: ['image', linked],
    queryFn: ({ signal }) => client.images.describe(linked ?? '', { signal }),
    enabled: linked !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  useEffect(() => {
    if (found.data) setOpened(found.data)
  }, [found.data])
  useEffect(() => {
    if (name === undefined) setOpened(null)
  }, [name])

  const go = (image: string | undefined) =>
    navigate({
      to: '/images',
      search: (known: ImageSearch) => readImageSearch({ ...known, image }),
      replace: image === undefined,
      resetScroll: false,
    })
  return {
    opened,
    /** After a change of its details. */
    change: setOpened,
    open(image: ImageDescriptor): void {
      isPushed.current = true
      setLinked(undefined)
      setOpened(image)
      void go(image.name)
    },
    close(): void {
      setLinked(undefined)
      setOpened(null)
      if (isPushed.current) history.back()
      else void go(undefined)
      isPushed.current = false
    },
  }
}
