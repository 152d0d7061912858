import type { Sender } from '../http/call.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import type { Access } from '../http/route.ts'
import { chain } from '../lib/maybe-promise.ts'
import { countRequest } from './count-request.ts'
import type { EmbedLinks, LinkInUse } from './embed-links.ts'
import type { EmbedTokens } from './embed-tokens.ts'
import type { Journal } from './journal.ts'

/** What a route with an embed link's token in its path needs. */
export interface Embedded {
  readonly embedTokens: EmbedTokens
  readonly embedLinks: Pick<EmbedLinks, 'find'>
  readonly journal: Pick<Journal, 'count'>
}

/** Anyone who has the URL of a link. `userId` is the link's user, for counters and log. */
export type LinkHolder = Sender & LinkInUse

/** Anyone with the token of a link in the path; refuses others with `dead`. The request counts for the link's user. */
export const linkHolders = (dead: Refusal): Access<LinkHolder, Embedded> => ({
  label: 'everybody who has the URL',
  // Empty, since errors of an access mean that the route needs a token in its head.
  errors: [],
  admit(call, { embedTokens, embedLinks, journal }) {
    const id = linkOf(call.params, embedTokens)
    const link = id === null ? null : embedLinks.find(id)
    const holderOf = (found: LinkInUse | null): LinkHolder => {
      if (found === null) refuse(dead)
      countRequest(journal, call.route, found.userId, { type: 'link', id: found.id })
      return found
    }
    return chain(link, holderOf)
  },
})

/** The id of the link that a path names, whether or not it is still alive; null for a forged token. */
export const linkOf = ({ token = '' }: Readonly<Record<string, string>>, { read }: EmbedTokens): string | null =>
  read(token)
