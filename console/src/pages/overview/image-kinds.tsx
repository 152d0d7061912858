import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Loaded } from '../../parts/loaded.tsx'
import { useSession } from '../../session/session.ts'

export function ImageKinds() {
  const { client } = useSession()
  const kinds = useQuery({ queryKey: ['kinds'], queryFn: ({ signal }) => client.images.kinds({ signal }) })
  return (
    <section>
      <h2>Images</h2>
      <Loaded query={kinds} name="images" isEmpty={({ kinds }) => kinds.every(({ count }) => count === 0)}>
        {({ kinds }) => (
          <dl className="facts">
            {kinds.map(({ kind, count }) => (
              <div key={kind}>
                <dt>
                  <Link to="/images" search={{ kind }}>
                    {kind}
                  </Link>
                </dt>
                <dd>{count.toLocaleString('en')}</dd>
              </div>
            ))}
          </dl>
        )}
      </Loaded>
    </section>
  )
}
