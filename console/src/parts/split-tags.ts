/** As they are typed: separated by spaces or commas. */
export const splitTags = (text: string): string[] => text.split(/[\s,]+/).filter((tag) => tag !== '')
