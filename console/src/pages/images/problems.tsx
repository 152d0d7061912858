import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../session/session.ts'
import { FileNotice } from './file-notice.tsx'

const reasons = {
  badName: 'not served, since a name may have only letters, digits, single dots, underscores and hyphens',
  empty: 'not served, since it is empty',
  nested: 'not served, since a kind has no folders',
  undecodable: 'served as it is stored, but damaged or too large: no size can be made of it',
}

/** Files that nobody sees as they should be. */
export function Problems() {
  const { client } = useSession()
  const { data } = useQuery({ queryKey: ['problems'], queryFn: ({ signal }) => client.admin.problems({ signal }) })
  if (data === undefined || !('files' in data)) return null
  const { count, files } = data
  return (
    <FileNotice
      summary={count === 1 ? 'file has a problem' : 'files have a problem'}
      count={count}
      files={files.map(({ name, problem }) => ({
        name,
        isServed: problem === 'undecodable',
        reason: reasons[problem],
      }))}
    >
      <p className="note">
        Names are checked at every listing, and an image when a size of it is asked for. The command line tool’s{' '}
        <code>images verify</code> reads every image.
      </p>
    </FileNotice>
  )
}
