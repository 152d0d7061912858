const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** Its two largest units, such as `1 h 5 min`. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const first = units.findIndex(([, length]) => seconds >= length)
  if (first === -1) return '0 s'
  let rest = seconds
  const parts = units.slice(first, first + 2).map(([unit, length]) => {
    const count = Math.floor(rest / length)
    rest -= count * length
    return count > 0 ? `${count} ${unit}` : ''
  })
  return parts.filter((part) => part !== '').join(' ')
}
