const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** For example `1.3 MB`. A limit is rounded down, so that it is true. */
export function sizeText(bytes: number, { isLimit = false } = {}): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** step
  const maximumFractionDigits = step > 1 && value < 100 ? 1 : 0
  const roundingMode = isLimit ? 'floor' : 'halfExpand'
  return `${value.toLocaleString('en', { maximumFractionDigits, roundingMode })}\u00a0${units[step]}`
}
