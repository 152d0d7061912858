import { useQuery } from '@tanstack/react-query'
import { isAtLeast } from '../../navigation.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { useSession } from '../../session/session.ts'
import { Totals } from './totals.tsx'

/** Each section is for those whose role may read it; a user sees what images there are. */
export function Overview() {
  const { client, user } = useSession()
  const kinds = useQuery({ queryKey: ['kinds'], queryFn: ({ signal }) => client.images.kinds({ signal }) })
  return (
    <Page title="Overview">
      {isAtLeast(user.role, 'admin') && <Totals />}
      <section>
        <h2>Images</h2>
        <Loaded query={kinds} name="images" isEmpty={({ kinds }) => kinds.length === 0}>
          {({ kinds }) => {
            const images = kinds.reduce((sum, { count }) => sum + count, 0)
            return (
              <p>
                {images.toLocaleString('en')} images of {kinds.filter(({ count }) => count > 0).length} kinds.
              </p>
            )
          }}
        </Loaded>
      </section>
    </Page>
  )
}
