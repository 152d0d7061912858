import { useQuery } from '@tanstack/react-query'
import { firstPage } from '../../parts/first-page.ts'
import { useSession } from '../../session/session.ts'
import { FileNotice } from './file-notice.tsx'

const maxShown = 100

const reasons = { bytes: 'not an image by its first bytes', type: 'stored with a type that is not image/*' }

/** What CHOOSE_IMAGES_ONLY leaves out. */
export function SetAside() {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['set-aside'],
    queryFn: ({ signal }) => firstPage(client.admin.setAside({ limit: maxShown, signal })),
  })
  if (data === undefined) return null
  const { count, objects } = data
  return (
    <FileNotice
      summary={count === 1 ? 'object is never chosen' : 'objects are never chosen'}
      count={count}
      files={objects.map(({ image: { name }, fault }) => ({ name, isServed: true, reason: reasons[fault] }))}
    >
      <p>
        With <code>CHOOSE_IMAGES_ONLY</code>, objects that are not images are neither chosen nor listed. Their URLs stay
        valid.
      </p>
    </FileNotice>
  )
}
