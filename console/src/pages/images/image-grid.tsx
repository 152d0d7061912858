import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import type { ImageDescriptor } from '../../../../client/src/client.ts'
import { Failure } from '../../parts/failure.tsx'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { showFailure, showToast } from '../../parts/toasts.tsx'
import { withPatience } from '../../session/patience.ts'
import { patient } from '../../session/queries.ts'
import { useService } from '../../session/service.ts'
import { useSession } from '../../session/session.ts'
import { useRefresh } from '../../uploads/use-refresh.ts'
import { isGone } from './bulk.ts'
import { DeleteImages, DescribeImages, DownloadImages, HideImages, MoveImages } from './bulk-acts.tsx'
import { useHidden } from './hidden-images.tsx'
import { ImageDialog } from './image-dialog.tsx'
import type { ImageSearch } from './search.ts'
import { type Act, Selection, useSelection } from './selection.tsx'
import { Tiles } from './tiles.tsx'
import { useOpenedImage } from './use-opened-image.ts'

interface Props {
  readonly search: Omit<ImageSearch, 'image'> & { readonly kind: string }
  /** The name of the image in the dialog. */
  readonly openedName: string | undefined
  readonly isAdmin: boolean
  readonly isModerator: boolean
}

const perPage = 100
const never = new AbortController().signal
/** More at once would take an hour with the service's limits. */
const maxSelected = 10_000

export function ImageGrid({ search: { kind, sort, ...filter }, openedName, isAdmin, isModerator }: Props) {
  const { client } = useSession()
  const terms = { ...filter, ...(sort && { sort }) }
  const [act, setAct] = useState<{ readonly act: Act; readonly images: readonly ImageDescriptor[] } | null>(null)
  const [isAddingAll, setIsAddingAll] = useState(false)
  useRefresh()
  const images = useInfiniteQuery({
    queryKey: ['images', kind, terms],
    queryFn: ({ pageParam: cursor, signal }) =>
      firstPage(client.images.list(kind, { ...terms, meta: 1, limit: perPage, cursor, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnWindowFocus: false,
    ...patient,
    // Comparing all pages with each new one would take longer and longer.
    structuralSharing: false,
  })
  const service = useService({ staleTime: Number.POSITIVE_INFINITY })
  const bucket = service.data?.bucket
  const hidden = useHidden(isModerator).data
  const isHiding = hidden?.names.some((name) => name.startsWith(`${kind}/`))
  const mayHide = hidden !== undefined && hidden.count > hidden.names.length
  const none = isHiding
    ? 'No image of this kind is shown, but some are hidden.'
    : mayHide
      ? 'No image of this kind is shown.'
      : 'There is no image of this kind yet.'
  const shown = useMemo(() => images.data?.pages.flatMap((page) => page.images) ?? [], [images.data])
  const linked = openedName?.startsWith(`${kind}/`) && openedName !== `${kind}/random` ? openedName : undefined
  const { opened, error: linkError, open, change, close } = useOpenedImage(linked, shown)
  const isMissing = openedName !== undefined && (linked === undefined || isGone(linkError))
  const filterText = JSON.stringify(filter)
  const { selected, outside, toggle, replace, remove, clear } = useSelection(shown, filterText)
  const { error, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = images
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])

  async function addAll() {
    setIsAddingAll(true)
    try {
      const all: ImageDescriptor[] = []
      let cursor: string | undefined
      do {
        const page = { ...terms, limit: 500, cursor }
        const { images, next } = await withPatience(() => firstPage(client.images.list(kind, page)), never)
        all.push(...images)
        cursor = next ?? undefined
      } while (cursor !== undefined && all.length < maxSelected)
      if (cursor !== undefined) showToast(`The first ${maxSelected.toLocaleString('en')} are selected`)
      replace(all.slice(0, maxSelected), filterText)
    } catch (error) {
      showFailure(error)
    } finally {
      setIsAddingAll(false)
    }
  }
  const begin = (act: Act, images: readonly ImageDescriptor[]) => {
    if (opened) close()
    setAct({ act, images })
  }
  const bulk = act && {
    images: act.images,
    onClose: () => setAct(null),
    onDone(done: readonly ImageDescriptor[], gone: readonly ImageDescriptor[]) {
      remove([...done, ...gone])
      // What failed can be tried again.
      const isLeft = ({ name }: ImageDescriptor) => !done.some((each) => each.name === name)
      setAct((now) => now && { ...now, images: now.images.filter(isLeft) })
    },
  }

  return (
    <>
      {isMissing ? (
        <p className="notice" role="alert">
          There is no image “<bdi>{openedName}</bdi>” here: it was deleted, moved or hidden.
        </p>
      ) : (
        linkError !== null && <Failure error={linkError} />
      )}
      {selected.size > 0 && (
        <button type="button" className="skip" onClick={() => document.getElementById('selection')?.focus()}>
          Skip to the actions for the selected images
        </button>
      )}
      <Loaded
        query={{ ...images, error: isFetchNextPageError ? null : error }}
        name="images"
        isEmpty={() => shown.length === 0 && !hasNextPage}
        empty={Object.keys(terms).length > 0 ? 'No image matches.' : none}
      >
        {() => (
          <Tiles
            images={shown}
            isWhole={!hasNextPage}
            selected={isModerator ? selected : null}
            onOpen={open}
            onToggle={toggle}
            onEnd={onEnd}
          />
        )}
      </Loaded>
      {images.isFetching && images.failureReason !== null && <Failure error={images.failureReason} />}
      {isFetchingNextPage && (
        <p className="loading" role="status">
          Loading more…
        </p>
      )}
      {isFetchNextPageError && <Failure error={error} onRetry={() => void fetchNextPage()} />}
      <Selection
        count={selected.size}
        outside={outside}
        isAdmin={isAdmin}
        isAddingAll={isAddingAll}
        onAll={() => void addAll()}
        onClear={clear}
        onAct={(act) =>
          begin(
            act,
            [...selected.values()].map(({ image }) => image),
          )
        }
      />
      {bulk && act.act === 'describe' && <DescribeImages {...bulk} />}
      {bulk && act.act === 'hide' && <HideImages {...bulk} />}
      {bulk && act.act === 'move' && <MoveImages {...bulk} kind={kind} />}
      {bulk && act.act === 'download' && <DownloadImages {...bulk} kind={kind} />}
      {bulk && act.act === 'delete' && bucket !== undefined && <DeleteImages {...bulk} bucket={bucket} />}
      {opened && (
        <ImageDialog
          image={opened}
          bucket={bucket ?? null}
          isAdmin={isAdmin}
          isModerator={isModerator}
          onAct={(act) => begin(act, [opened])}
          onSaved={(details) => change({ ...withoutDetails(opened), ...details })}
          onClose={close}
        />
      )}
    </>
  )
}

function withoutDetails({ alt, title, artist, source, license, tags, ...rest }: ImageDescriptor): ImageDescriptor {
  return rest
}
