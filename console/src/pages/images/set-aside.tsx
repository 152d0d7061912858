import { useQuery } from '@tanstack/react-query'
import { firstPage } from '../../parts/first-page.ts'
import { imagePath } from '../../parts/image-path.ts'
import { useSession } from '../../session/session.ts'

const maxShown = 100

const reasons = { bytes: 'not an image by its first bytes', type: 'stored with a type that is not image/*' }

/** What CHOOSE_IMAGES_ONLY leaves out; nothing is shown if there is none. */
export function SetAside() {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['set-aside'],
    queryFn: ({ signal }) => firstPage(client.admin.setAside({ limit: maxShown, signal })),
  })
  if (data === undefined || data.count === 0) return null
  const { count, objects } = data
  return (
    <details className="notice">
      <summary>
        {count.toLocaleString('en')} {count === 1 ? 'object is' : 'objects are'} never chosen
      </summary>
      <p>
        With <code>CHOOSE_IMAGES_ONLY</code>, objects that are not images are neither chosen nor listed. Their URLs stay
        valid.
      </p>
      <ul>
        {objects.map(({ image: { name }, fault }) => (
          <li key={name}>
            <a href={imagePath(name)} target="_blank" rel="noreferrer">
              <bdi>{name}</bdi>
            </a>
            : {reasons[fault]}
          </li>
        ))}
      </ul>
      {count > objects.length && <p className="note">The first {maxShown} are shown.</p>}
    </details>
  )
}
