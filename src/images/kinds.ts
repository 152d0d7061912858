/** Everything follows this list: the routes, the folders of the proxy, the reference. */
export const kinds = ['fox', 'bird', 'shibe', 'weiner-dog', 'slap', 'hug', 'kiss', 'smug', 'pat'] as const

export type Kind = (typeof kinds)[number]

const known: ReadonlySet<string> = new Set(kinds)

export const isKind = (text: string): text is Kind => known.has(text)

/** The kind as a message begins with it. */
export const titleOf = (kind: Kind) => kind.charAt(0).toUpperCase() + kind.slice(1)
