import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { ImageDescriptor } from '../../../../client/src/client.ts'
import { Failure } from '../../parts/failure.tsx'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { useSession } from '../../session/session.ts'
import { current, isUnderWay, useUploads } from '../../uploads/store.ts'
import { deleteLater, useGone, versionOf } from './deletions.ts'
import { DescribeSelection } from './describe-selection.tsx'
import { ImageDialog } from './image-dialog.tsx'
import type { ImageSearch } from './search.ts'
import { Selection, useSelection } from './selection.tsx'
import { Tiles } from './tiles.tsx'

interface Props {
  readonly search: ImageSearch & { readonly kind: string }
  readonly isAdmin: boolean
}

const perPage = 200

export function ImageGrid({ search: { kind, ...terms }, isAdmin }: Props) {
  const { client } = useSession()
  const [opened, setOpened] = useState<ImageDescriptor | null>(null)
  const [isDescribing, setIsDescribing] = useState(false)
  const selection = useSelection()
  const gone = useGone()
  const refresh = useRefresh()
  const images = useInfiniteQuery({
    queryKey: ['images', kind, terms],
    queryFn: ({ pageParam: cursor, signal }) =>
      firstPage(client.images.list(kind, { ...terms, meta: 1, limit: perPage, cursor, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnWindowFocus: false,
  })
  const service = useQuery({
    queryKey: ['service'],
    queryFn: ({ signal }) => client.admin.service({ signal }),
    enabled: isAdmin,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const bucket = service.data?.bucket
  const shown = useMemo(
    () => images.data?.pages.flatMap((page) => page.images).filter((image) => !gone.has(versionOf(image))) ?? [],
    [images.data, gone],
  )
  const remove = useCallback(
    (image: ImageDescriptor) => {
      if (bucket === undefined) return
      setOpened(null)
      deleteLater(client, bucket, image, refresh)
    },
    [client, bucket, refresh],
  )
  const { error, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = images
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])

  return (
    <>
      {isAdmin && <Selection {...selection} onDescribe={() => setIsDescribing(true)} />}
      <Loaded
        query={{ ...images, error: isFetchNextPageError ? null : error }}
        name="images"
        isEmpty={() => shown.length === 0 && !hasNextPage}
        empty="No image matches."
      >
        {() => (
          <Tiles
            images={shown}
            isWhole={!hasNextPage}
            selected={selection.names}
            onOpen={selection.names === null ? setOpened : selection.toggle}
            onDelete={bucket === undefined || selection.names !== null ? null : remove}
            onEnd={onEnd}
          />
        )}
      </Loaded>
      {isFetchingNextPage && (
        <p className="loading" role="status">
          Loading more…
        </p>
      )}
      {isFetchNextPageError && <Failure error={error} onRetry={() => void fetchNextPage()} />}
      {isDescribing && selection.names && (
        <DescribeSelection
          names={[...selection.names]}
          onDone={selection.remove}
          onClose={() => setIsDescribing(false)}
        />
      )}
      {opened && (
        <ImageDialog
          image={opened}
          onDelete={bucket === undefined ? null : () => remove(opened)}
          onSaved={isAdmin ? (details) => setOpened({ ...withoutDetails(opened), ...details }) : null}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  )
}

function withoutDetails({ alt, title, artist, source, license, tags, ...rest }: ImageDescriptor): ImageDescriptor {
  return rest
}

const quietMs = 500
/** During uploads: the grid may show thousands of images, with one request per page. */
const busyMs = 15_000

/** Refreshes the grid, also after uploads, but not after each one of many. */
function useRefresh() {
  const queries = useQueryClient()
  const { stored, list } = useUploads()
  const isBusy = list.some(isUnderWay)
  const [shown, setShown] = useState(stored)
  const refresh = useCallback(() => {
    void queries.invalidateQueries({ queryKey: ['kinds'] })
    void queries.invalidateQueries({ queryKey: ['images'] })
    void queries.invalidateQueries({ queryKey: ['set-aside'] })
  }, [queries])
  const isBehind = stored !== shown
  useEffect(() => {
    if (!isBehind) return undefined
    const timer = setTimeout(
      () => {
        setShown(current().stored)
        refresh()
      },
      isBusy ? busyMs : quietMs,
    )
    return () => clearTimeout(timer)
  }, [isBehind, isBusy, refresh])
  return refresh
}
