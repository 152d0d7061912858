/** The kinds of every installation; IMAGE_KINDS_EXTRA adds others. */
export const builtInKinds: Kinds = new Set(['fox', 'bird', 'shibe', 'weiner-dog', 'slap', 'hug', 'kiss', 'smug', 'pat'])

export type Kind = string

/** The kinds of this installation, in the order that routes, catalogue, reference and tools use. */
export type Kinds = ReadonlySet<Kind>

export const maxKinds = 200
/** `/images/random` is a route of its own. */
const reserved = 'random'
/** Also parts of routes. An installation that already has such a kind is warned. */
export const reservedKinds: Kinds = new Set(['tags', 'report'])
const form = /^[a-z0-9-]{1,32}$/

export const isKindName = (text: string) => form.test(text) && text !== reserved

export const titleOf = (kind: Kind) => kind.charAt(0).toUpperCase() + kind.slice(1)
