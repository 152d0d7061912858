import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { CreateEmbedLink } from '../../parts/create-embed-link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { RevokeLink } from '../../parts/revoke-link.tsx'
import { useSession } from '../../session/session.ts'
import { LinkTable } from './link-table.tsx'

export function EmbedLinks() {
  const { client } = useSession()
  const links = useQuery({
    queryKey: ['embed links'],
    queryFn: ({ signal }) => client.auth.embed.list({ signal }),
    staleTime: 60_000,
  })
  const [isCreating, setIsCreating] = useState(false)
  const [revoked, setRevoked] = useState<Schemas['EmbedLink'] | null>(null)
  return (
    <section>
      <header className="section-head">
        <h2>Embed links</h2>
        <button type="button" className="button is-main" onClick={() => setIsCreating(true)}>
          Create link
        </button>
      </header>
      <p className="note">
        Each shows random images to everybody who has it, a new one on each request unless it says otherwise.
      </p>
      <Loaded query={links} name="embed links" isEmpty={({ links }) => links.length === 0}>
        {({ links }) => (
          <LinkTable links={links}>
            {(link) => (
              <button type="button" className="button is-danger" onClick={() => setRevoked(link)}>
                Revoke<span className="hidden"> link to {link.kinds.join(', ')}</span>
              </button>
            )}
          </LinkTable>
        )}
      </Loaded>
      {isCreating && <CreateEmbedLink onClose={() => setIsCreating(false)} />}
      {revoked && (
        <RevokeLink
          link={revoked}
          act={() => client.auth.embed.revoke(revoked.id)}
          queryKey={['embed links']}
          onClose={() => setRevoked(null)}
        />
      )}
    </section>
  )
}
