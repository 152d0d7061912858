import { useMutation, useQuery } from '@tanstack/react-query'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { useService } from '../../session/service.ts'
import { useSession } from '../../session/session.ts'

export function TestStore({ onClose }: { readonly onClose: () => void }) {
  const { client } = useSession()
  const store = useQuery({
    queryKey: ['store'],
    queryFn: ({ signal }) => client.store.test({ signal }),
    staleTime: 0,
    gcTime: 0,
  })
  const own = useService({ staleTime: Number.POSITIVE_INFINITY }).data?.bucket
  const ownBucket = useQuery({
    queryKey: ['store', own],
    queryFn: ({ signal }) => client.store.test({ bucketExists: own ?? '', signal }),
    enabled: own !== undefined && store.isSuccess,
    staleTime: 0,
    gcTime: 0,
  })
  const bucket = useMutation({ mutationFn: (bucketExists: string) => client.store.test({ bucketExists }) })
  return (
    <Dialog
      title="Image store"
      description={<p>Where the images are: in S3, or in a folder of the service.</p>}
      isOpen
      onClose={onClose}
    >
      {store.isFetching && <p role="status">Testing…</p>}
      {!store.isFetching && store.error && (
        <>
          <Failure error={store.error} onRetry={() => void store.refetch()} />
          <p className="note">It does not respond, or it refuses the keys: the service's log says which.</p>
        </>
      )}
      {!store.isFetching && store.data && 'message' in store.data && (
        <p role="status">
          <span className="badge is-good">OK</span> {store.data.message}
        </p>
      )}
      {ownBucket.data && 'bucketExists' in ownBucket.data && !ownBucket.data.bucketExists && (
        <p className="failure" role="alert">
          There is no bucket <bdi>{own}</bdi>: create it, or change S3_BUCKET.
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          bucket.mutate(String(new FormData(event.currentTarget).get('bucket')))
        }}
      >
        <Field label="Bucket" name="bucket" key={own} defaultValue={own} required />
        <ActButton type="submit" isBusy={bucket.isPending}>
          Check bucket
        </ActButton>
      </form>
      {bucket.error && <Failure error={bucket.error} />}
      {bucket.data && 'bucketExists' in bucket.data && (
        <p role="status">
          The bucket <bdi>{bucket.variables}</bdi> {bucket.data.bucketExists ? 'exists.' : 'does not exist.'}
        </p>
      )}
    </Dialog>
  )
}
