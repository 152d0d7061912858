/** The parts of a regular expression: escapes, classes, quantifiers, the starts of groups, and single characters. */
const parts =
  /\\(?:[pP]\{[^}]*\}|k<[^>]*>|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)|\[(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}\??|[*+?]\??|\(\?(?:[:=!]|<[=!]|<[^>]*>)|./gsu

const opposite = (part: string) => {
  const letter = part[1] ?? ''
  return `\\${letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()}${part.slice(2)}`
}

function changesOf(part: string): string[] {
  if (part === '^' || part === '$') return ['']
  if (/^\\[dDwWsSbBpP]/.test(part)) return [opposite(part)]
  if (part.length > 2 && part.startsWith('['))
    return [part.startsWith('[^') ? `[${part.slice(2)}` : `[^${part.slice(1)}`]
  if (/^([*+?]|\{\d)/.test(part)) {
    const [, min, max] = /^\{(\d+)(?:,(\d*))?\}/.exec(part) ?? []
    // `{2,8}` allows one less, or one more.
    const bounds = min === undefined || max === undefined ? [] : [`{${Number(min) + 1},${max}}`]
    return ['', ...bounds, ...(max ? [`{${min},${Number(max) + 1}}`] : [])]
  }
  if (part === '(?=') return ['(?!']
  if (part === '(?!') return ['(?=']
  if (part === '(?<=') return ['(?<!']
  return part === '(?<!' ? ['(?<='] : []
}

const isPattern = (pattern: string, flags: string) => {
  try {
    return new RegExp(pattern, flags) !== null
  } catch {
    return false
  }
}

/** Regular expressions that match more, less or something else: anchors, quantifiers, classes and look-arounds change. */
export function mutatedPatterns(pattern: string, flags = ''): string[] {
  const all: readonly string[] = pattern.match(parts) ?? []
  return all
    .flatMap((part, index) => changesOf(part).map((changed) => all.with(index, changed).join('')))
    .filter((changed) => isPattern(changed, flags))
}
