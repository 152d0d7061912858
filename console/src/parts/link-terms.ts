import type { Schemas } from '../../../client/src/client.ts'

type Terms = Pick<Schemas['EmbedLink'], 'repeat' | 'per' | 'tz' | 'orientation' | 'tags' | 'without'>

/** What tells links to the same kind apart; empty if each request may get any image. */
export const linkTerms = ({ repeat, per, tz, orientation, tags, without }: Terms): string =>
  [
    repeat === 'no' && 'No repeats.',
    per && `New image every ${per}, by the clock of ${tz}.`,
    orientation !== null && `Only ${orientation}.`,
    tags && `Tagged ${tags.join(', ')}.`,
    without && `Not tagged ${without.join(', ')}.`,
  ]
    .filter((term) => typeof term === 'string')
    .join(' ')

/** Tells links with the same terms apart: all begin alike. */
export const endOf = (url: string) => `…${url.slice(-8)}`
