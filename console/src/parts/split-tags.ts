/** As they are typed: separated by spaces or commas, in any case. */
export const splitTags = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((tag) => tag !== '')
