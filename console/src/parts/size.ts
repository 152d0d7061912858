const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** For example `1.3 MB`. */
export function sizeText(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** step
  return `${value.toLocaleString('en', { maximumFractionDigits: step > 1 && value < 100 ? 1 : 0 })}\u00a0${units[step]}`
}
