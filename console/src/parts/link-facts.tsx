import type { ReactNode } from 'react'
import type { Schemas } from '../../../client/src/client.ts'
import { LastUse } from './last-use.tsx'
import { linkTerms } from './link-terms.ts'
import { Time } from './time.tsx'

type Link = Schemas['EmbedLinkOfUser']

interface Props {
  readonly links: readonly Link[]
  /** The action for each link. */
  readonly children?: (link: Link) => ReactNode
}

export const LinkFacts = ({ links, children }: Props) => (
  <dl className="facts">
    {links.map((link) => (
      <div key={link.id}>
        <dt>{link.kinds.join(', ')}</dt>
        <dd className={children && 'with-act'}>
          <div>
            {link.lastUsedAt ? (
              <>
                used <LastUse createdAt={link.createdAt} lastUsedAt={link.lastUsedAt} />
              </>
            ) : (
              'never used'
            )}
            , created <Time at={link.createdAt} />
            {linkTerms(link) !== '' && <p className="note">{linkTerms(link)}</p>}
          </div>
          {children?.(link)}
        </dd>
      </div>
    ))}
  </dl>
)
