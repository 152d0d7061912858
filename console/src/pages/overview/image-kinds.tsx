import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { permitted } from '../../../../src/accounts/roles.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { useSession } from '../../session/session.ts'
import { ChooseFiles } from '../../uploads/choose-files.tsx'
import { useRefresh } from '../../uploads/use-refresh.ts'

export function ImageKinds() {
  const { client, user } = useSession()
  const mayUpload = permitted.administer.includes(user.role)
  const kinds = useQuery({ queryKey: ['kinds'], queryFn: ({ signal }) => client.images.kinds({ signal }) })
  useRefresh()
  return (
    <section>
      <h2>Images</h2>
      <Loaded
        query={kinds}
        name="images"
        isEmpty={({ kinds }) => kinds.every(({ count }) => count === 0 && !mayUpload)}
      >
        {({ kinds }) => (
          <dl className="facts">
            {kinds.map(({ kind, count }) => (
              <div key={kind}>
                <dt>
                  <Link to="/images" search={{ kind }}>
                    {kind}
                  </Link>
                </dt>
                <dd className="with-act">
                  {count.toLocaleString('en')}
                  {mayUpload && (
                    <ChooseFiles kind={kind} look="is-small">
                      Upload<span className="hidden"> to {kind}</span>
                    </ChooseFiles>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Loaded>
    </section>
  )
}
