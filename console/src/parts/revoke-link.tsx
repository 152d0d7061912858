import type { QueryKey } from '@tanstack/react-query'
import type { Schemas } from '../../../client/src/client.ts'
import { Confirm } from './confirm.tsx'
import { LastUse } from './last-use.tsx'
import { endOf, linkTerms } from './link-terms.ts'
import { Time } from './time.tsx'

interface Props {
  /** Its URL is known only to its owner. */
  readonly link: Schemas['EmbedLinkOfUser'] & { readonly url?: string }
  readonly act: () => Promise<unknown>
  readonly queryKey: QueryKey
  readonly onClose: () => void
}

export function RevokeLink({ link, ...act }: Props) {
  const { kinds, url, createdAt, lastUsedAt } = link
  return (
    <Confirm title={`Revoke link to ${kinds.join(', ')}`} label="Revoke" done="Embed link revoked" {...act}>
      {url === undefined ? 'It' : `The link that ends in ${endOf(url)}`} was created <Time at={createdAt} /> and{' '}
      {lastUsedAt === null ? (
        'never used'
      ) : (
        <>
          last used <LastUse createdAt={createdAt} lastUsedAt={lastUsedAt} />
        </>
      )}
      . {linkTerms(link)} Wherever it is used, no image is shown any more. This cannot be undone.
    </Confirm>
  )
}
