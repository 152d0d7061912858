import type { Schemas } from '../../../client/src/client.ts'
import { Time } from './time.tsx'

export const LinkFacts = ({ links }: { readonly links: readonly Schemas['EmbedLinkOfUser'][] }) => (
  <dl className="facts">
    {links.map(({ id, kinds, lastUsedAt }) => (
      <div key={id}>
        <dt>{kinds.join(', ')}</dt>
        <dd>
          {lastUsedAt ? (
            <>
              used <Time at={lastUsedAt} />
            </>
          ) : (
            'never used'
          )}
        </dd>
      </div>
    ))}
  </dl>
)
