import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { ImageDescriptor } from '../../../../client/src/client.ts'
import { useSession } from '../../session/session.ts'
import { type ImageSearch, readImageSearch } from './search.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The entry before this one is the same page without the dialog. */
    readonly isOverImages?: boolean
  }
}

/** The image whose name is in the address, so that Back closes its dialog and a link opens it. */
export function useOpenedImage(name: string | undefined, shown: readonly ImageDescriptor[]) {
  const { client } = useSession()
  const navigate = useNavigate()
  const { history } = useRouter()
  const { isOverImages } = useLocation().state
  /** As it was clicked, or changed in the dialog. */
  const [held, setHeld] = useState<ImageDescriptor | null>(null)
  /** Hidden at once, before the address has changed. */
  const [closed, setClosed] = useState<string | null>(null)
  useEffect(() => setClosed((last) => (last === name ? last : null)), [name])
  const known = held?.name === name ? held : (shown.find((each) => each.name === name) ?? null)
  const found = useQuery({
    queryKey: ['images', 'linked', name],
    queryFn: ({ signal }) => client.images.describe(name ?? '', { signal }),
    enabled: name !== undefined && known === null && closed !== name,
    gcTime: 0,
    retry: false,
  })
  const go = (image: string | undefined) =>
    void navigate({
      to: '/images',
      search: (search: ImageSearch) => readImageSearch({ ...search, image }),
      ...(image === undefined ? { replace: true } : { state: { isOverImages: true } }),
      resetScroll: false,
    })

  return {
    opened: name === undefined || closed === name ? null : (known ?? found.data ?? null),
    /** Why the image in the address cannot be shown. */
    error: known === null ? found.error : null,
    /** After a change of its details. */
    change: setHeld,
    open(image: ImageDescriptor): void {
      setHeld(image)
      setClosed(null)
      if (image.name !== name) go(image.name)
    },
    close(): void {
      setHeld(null)
      setClosed(name ?? null)
      if (isOverImages) history.back({ ignoreBlocker: true })
      else go(undefined)
    },
  }
}
