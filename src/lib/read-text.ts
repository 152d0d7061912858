/* Parsers for settings and requests. They return undefined for invalid text. */

export const readWholeNumber =
  (min: number, max: number) =>
  (text: string): number | undefined =>
    /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined

export const readFlag = (text: string): boolean | undefined =>
  text === 'true' ? true : text === 'false' ? false : undefined

const yes = new Set(['true', '1', 'yes'])
const no = new Set(['false', '0', 'no'])

/** For requests, which say it in more words than settings. */
export const readYesNo = (text: string): boolean | undefined =>
  yes.has(text) ? true : no.has(text) ? false : undefined

/** Text of at most this many code points. PostgreSQL stores neither NUL nor an unpaired surrogate. */
export const readStorable =
  (maxLength: number) =>
  (text: string): string | undefined =>
    [...text].length <= maxLength && text.isWellFormed() && !text.includes('\0') ? text : undefined
