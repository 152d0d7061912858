import { isTag } from '../../../src/images/tags.ts'

/** As they are typed: separated by spaces or commas, in any case. Throws an Error that names what is no tag. */
export function splitTags(text: string): string[] {
  const tags = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((tag) => tag !== '')
  const wrong = tags.find((tag) => !isTag(tag))
  if (wrong !== undefined) throw new Error(`The tag “${wrong}” must be 1 to 32 of the characters a-z, 0-9 and -.`)
  return tags
}
