import type { Schemas } from '../../../client/src/client.ts'
import { linkTerms } from './link-terms.ts'
import { Time } from './time.tsx'

export const LinkFacts = ({ links }: { readonly links: readonly Schemas['EmbedLinkOfUser'][] }) => (
  <dl className="facts">
    {links.map((link) => (
      <div key={link.id}>
        <dt>{link.kinds.join(', ')}</dt>
        <dd>
          {link.lastUsedAt ? (
            <>
              used <Time at={link.lastUsedAt} />
            </>
          ) : (
            'never used'
          )}
          {linkTerms(link) !== '' && <p className="note">{linkTerms(link)}</p>}
        </dd>
      </div>
    ))}
  </dl>
)
