import { lazy, Suspense, useState } from 'react'
import { permitted } from '../../../src/accounts/roles.ts'
import { useSession } from '../session/session.ts'

const Confirm = lazy(async () => ({ default: (await import('./confirm.tsx')).Confirm }))

interface Props {
  readonly name: string
  readonly onDeleted: () => void
}

/** What the button says that shows an image again: of one that is gone, only its name is still hidden. */
export const showLabel = (isGone: boolean) => (isGone ? 'Free the name' : 'Show again')

/** A button for administrators. The image is never shown in between: its name stays hidden. */
export function DeleteHidden({ name, onDeleted }: Props) {
  const { client, user } = useSession()
  const [isAsking, setIsAsking] = useState(false)
  if (!permitted.administer.includes(user.role)) return null
  return (
    <>
      <button type="button" className="button is-danger" onClick={() => setIsAsking(true)}>
        Delete…<span className="hidden"> {name}</span>
      </button>
      <Suspense>
        {isAsking && (
          <Confirm
            title={`Delete ${name}`}
            label="Delete image"
            act={async () => {
              const { bucket } = await client.admin.service()
              await client.store.delete({ bucketName: bucket, objectName: name })
              onDeleted()
            }}
            done={`Deleted: ${name}`}
            queryKey={['hidden']}
            onClose={() => setIsAsking(false)}
          >
            This is final: the file and its details are deleted, and cannot be restored from here. Its name stays
            hidden, so that the same file cannot come back under it, until you free the name.
          </Confirm>
        )}
      </Suspense>
    </>
  )
}
