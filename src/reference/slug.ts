/** The anchor that GitHub gives a heading. */
export const slug = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** Makes names unique: the second `health` becomes `health-1`. */
export function uniqueNames(): (name: string) => string {
  const taken = new Set<string>()
  return (name) => {
    let found = name
    for (let count = 1; taken.has(found); count++) found = `${name}-${count}`
    taken.add(found)
    return found
  }
}
