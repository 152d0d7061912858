import { useQuery } from '@tanstack/react-query'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { useSession } from '../../session/session.ts'

const figures = [
  ['totalUsers', 'Users'],
  ['bannedUsers', 'Banned users'],
  ['totalRequests', 'Requests'],
  ['imageRequests', 'Image requests'],
  ['authRequests', 'Account requests'],
  ['adminRequests', 'Administration requests'],
] as const

export function Totals() {
  const { client } = useSession()
  const summary = useQuery({
    queryKey: ['totals'],
    queryFn: async ({ signal }) => (await firstPage(client.admin.dashboard({ limit: 1, signal }))).summary,
  })
  return (
    <section>
      <h2>Totals</h2>
      <Loaded query={summary} name="totals">
        {(totals) => (
          <>
            <dl className="figures">
              {figures.map(([name, label]) => (
                <div key={name}>
                  <dt>{label}</dt>
                  <dd>{totals[name].toLocaleString('en')}</dd>
                </div>
              ))}
            </dl>
            <p className="note">The console's own requests count, too.</p>
          </>
        )}
      </Loaded>
    </section>
  )
}
