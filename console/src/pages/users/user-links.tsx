import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { LinkFacts } from '../../parts/link-facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { RevokeLink } from '../../parts/revoke-link.tsx'
import { type User, useSession } from '../../session/session.ts'
import { RefusalNote } from './refusal-note.tsx'
import { refusalOf } from './rules.ts'

/** The embed links of the user, without their URLs: these are secrets. */
export function UserLinks({ user }: { readonly user: User }) {
  const { client, user: actor } = useSession()
  const queryKey = ['user', user.id, 'links']
  const links = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.admin.userEmbedLinks({ userId: user.id }, { signal }),
  })
  const [revoked, setRevoked] = useState<Schemas['EmbedLinkOfUser'] | null>(null)
  const refusal = refusalOf('revoke link', actor, user)
  return (
    <section>
      <h2>Embed links</h2>
      <Loaded query={links} name="embed links" isEmpty={({ links }) => links.length === 0}>
        {({ links }) => (
          <>
            <RefusalNote
              id="link-refusal"
              refusal={refusal}
              own={actor.id === user.id && <Link to="/keys">Your keys and links</Link>}
            />
            <LinkFacts links={links}>
              {(link) => (
                <ActButton
                  tone="danger"
                  isRefused={refusal !== null}
                  aria-describedby={refusal === null ? undefined : 'link-refusal'}
                  onClick={() => setRevoked(link)}
                >
                  Revoke<span className="hidden"> link to {link.kinds.join(', ')}</span>
                </ActButton>
              )}
            </LinkFacts>
          </>
        )}
      </Loaded>
      {revoked && (
        <RevokeLink
          link={revoked}
          act={() => client.admin.revokeEmbedLink(revoked.id)}
          queryKey={['user', user.id]}
          onClose={() => setRevoked(null)}
        />
      )}
    </section>
  )
}
