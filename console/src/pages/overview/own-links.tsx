import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LinkFacts } from '../../parts/link-facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useSession } from '../../session/session.ts'

const maxShown = 8

/** The user's embed links; the page of keys and links has their addresses. */
export function OwnLinks() {
  const { client } = useSession()
  const links = useQuery({
    queryKey: ['embed links'],
    queryFn: ({ signal }) => client.auth.embed.list({ signal }),
    staleTime: 60_000,
  })
  return (
    <section>
      <h2>Links</h2>
      <Loaded query={links} name="embed links" isEmpty={({ links }) => links.length === 0}>
        {({ links }) => <LinkFacts links={links.slice(0, maxShown)} />}
      </Loaded>
      <p>
        <Link to="/keys">{links.data?.links.length === 0 ? 'Keys and links' : 'All links'}</Link>
      </p>
    </section>
  )
}
