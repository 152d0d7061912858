import { useQuery } from '@tanstack/react-query'
import { imagePath } from '../../parts/image-path.ts'
import { useSession } from '../../session/session.ts'

const reasons = {
  badName: 'not served, since a name may have only letters, digits, single dots, underscores and hyphens',
  empty: 'not served, since it is empty',
  nested: 'not served, since a kind has no folders',
  undecodable: 'served as it is stored, but damaged or too large: no size can be made of it',
}

/** Files that nobody sees as they should be; nothing is shown if there are none. */
export function Problems() {
  const { client } = useSession()
  const { data } = useQuery({ queryKey: ['problems'], queryFn: ({ signal }) => client.admin.problems({ signal }) })
  if (data === undefined || !('files' in data) || data.count === 0) return null
  const { count, files } = data
  return (
    <details className="notice">
      <summary>
        {count.toLocaleString('en')} {count === 1 ? 'file has' : 'files have'} a problem
      </summary>
      <ul>
        {files.map(({ name, problem }) => (
          <li key={name}>
            {problem === 'undecodable' ? (
              <a href={imagePath(name)} target="_blank" rel="noreferrer">
                <bdi>{name}</bdi>
              </a>
            ) : (
              <bdi>{name}</bdi>
            )}
            : {reasons[problem]}
          </li>
        ))}
      </ul>
      {count > files.length && <p className="note">The first {files.length} are shown.</p>}
      <p className="note">
        Names are checked at every listing, and an image when a size of it is asked for. The command{' '}
        <code>menagerie cli images verify</code> reads every image.
      </p>
    </details>
  )
}
