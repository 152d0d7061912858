/** What people say about an image. Null or empty: nothing. */
export interface ImageDetails {
  readonly alt: string | null
  readonly title: string | null
  readonly artist: string | null
  /** As the URL parser writes it, so that it can stand in a header. */
  readonly source: string | null
  readonly license: string | null
  /** Sorted, each once. */
  readonly tags: readonly string[]
}

/** What to change; null or an empty list removes. */
export type DetailValues = Partial<ImageDetails>

/** In code points. */
export const maxLengths = { alt: 1_000, title: 1_000, artist: 200, source: 2_048, license: 200 } as const

export type TextName = keyof typeof maxLengths
export const textNames = Object.keys(maxLengths) as TextName[]
export type DetailName = TextName | 'tags'
export const detailNames: readonly DetailName[] = [...textNames, 'tags']

export const noDetails: ImageDetails = { alt: null, title: null, artist: null, source: null, license: null, tags: [] }

/** The text as it is stored; undefined if it is invalid. */
export function readDetail(name: TextName, text: string): string | undefined {
  const value = isPlain(name, text) && name === 'source' ? URL.parse(text)?.href : text
  if (value === undefined || !isPlain(name, value)) return undefined
  return name === 'source' && !/^https?:/.test(value) ? undefined : value
}

/** PostgreSQL does not store an unpaired surrogate. */
const isPlain = (name: TextName, text: string) =>
  text !== '' && text.isWellFormed() && !/\p{Cc}/u.test(text) && [...text].length <= maxLengths[name]

/** What differs; no text is empty. */
export const changedNames = (one: ImageDetails, other: ImageDetails): readonly DetailName[] =>
  detailNames.filter((name) => String(one[name] ?? '') !== String(other[name] ?? ''))

/** Only what is set. */
export const setDetails = (details: ImageDetails): DetailValues =>
  Object.fromEntries(Object.entries(details).filter(([, value]) => value !== null && value.length > 0))
