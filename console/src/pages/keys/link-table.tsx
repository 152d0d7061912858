import type { ReactNode } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { CopyField } from '../../parts/copy-field.tsx'
import { LastUse } from '../../parts/last-use.tsx'
import { endOf, linkTerms } from '../../parts/link-terms.ts'
import { TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/time.tsx'

type Link = Schemas['EmbedLink']

interface Props {
  readonly links: readonly Link[]
  /** The actions for each link. */
  readonly children: (link: Link) => ReactNode
}

export const LinkTable = ({ links, children }: Props) => (
  <TableFrame label="Embed links" isWide>
    <thead>
      <tr>
        <th scope="col">Link</th>
        <th scope="col">Created</th>
        <th scope="col">Expires</th>
        <th scope="col">Last used</th>
        <th scope="col">Actions</th>
      </tr>
    </thead>
    <tbody>
      {links.map((link) => (
        <tr key={link.id}>
          <td className="is-link">
            <CopyField label={link.kinds.join(', ')} text={link.url} />
            <p className="note">
              Last characters: <code>{endOf(link.url)}</code>. {linkTerms(link)}
            </p>
          </td>
          <td>
            <Time at={link.createdAt} />
          </td>
          <td>
            <Time at={link.expiresAt} />
          </td>
          <td>{link.lastUsedAt ? <LastUse createdAt={link.createdAt} lastUsedAt={link.lastUsedAt} /> : 'never'}</td>
          <td>{children(link)}</td>
        </tr>
      ))}
    </tbody>
  </TableFrame>
)
