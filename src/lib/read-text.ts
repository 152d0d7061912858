/* Values that settings and requests both have, read from their text; undefined for a text that is none. */

export const readWholeNumber =
  (min: number, max: number) =>
  (text: string): number | undefined =>
    /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined

export const readFlag = (text: string): boolean | undefined =>
  text === 'true' ? true : text === 'false' ? false : undefined
