/* What components and senders say, made harmless for the place where it is shown. */

export type Escape = (value: string) => string

const wordJoiner = '\u2060'

/** An invisible character keeps `@name` and `<!channel>` from notifying anyone. */
export const withoutMentions: Escape = (value) =>
  value.replace(/@(?=[\p{L}\p{N}_-])/gu, `@${wordJoiner}`).replace(/<(?=[!@#])/g, `<${wordJoiner}`)

export const plain: Escape = (value) => value

/** Within a string of JSON. Its reader may be a chat. */
export const inJson: Escape = (value) => JSON.stringify(withoutMentions(value)).slice(1, -1)

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
export const inHtml: Escape = (value) => value.replace(/[&<>"']/g, (found) => entities[found] ?? found)

/** Slack reads mentions and links only between unescaped angle brackets. */
export const inSlack: Escape = (value) => value.replace(/[&<>]/g, (found) => entities[found] ?? found)

/** Discord reads Markdown. */
export const inDiscord: Escape = (value) => withoutMentions(value).replace(/[\\`*_~|<>[\]()#]/g, '\\$&')

/** A header of HTTP, as RFC 2047 encodes it, in words of at most 75 characters. */
export function inHeader(value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value
  const words = value.match(/.{1,10}/gsu) ?? []
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ')
}
