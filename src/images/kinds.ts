/** Routes, proxy folders and the reference follow this list. */
export const kinds = ['fox', 'bird', 'shibe', 'weiner-dog', 'slap', 'hug', 'kiss', 'smug', 'pat'] as const

export type Kind = (typeof kinds)[number]

const known: ReadonlySet<string> = new Set(kinds)

export const isKind = (text: string): text is Kind => known.has(text)

export const titleOf = (kind: Kind) => kind.charAt(0).toUpperCase() + kind.slice(1)
