const units = ['kB', 'MB', 'GB', 'TB', 'PB']

/** `512 B`, `1.2 MB`. */
export function inBytes(bytes: number): string {
  let amount = bytes
  let unit = 'B'
  // 999.5 would round up to 1000.
  for (const next of units) {
    if (amount < (unit === 'B' ? 1_000 : 999.5)) break
    amount /= 1_000
    unit = next
  }
  return `${unit === 'B' || amount >= 99.95 ? Math.round(amount) : amount.toFixed(1)} ${unit}`
}

/** `0:42`, `1:05:00`. */
export function inTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  const two = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`
}

/** `1 image`, `2,000 images`. */
export const counted = (count: number, one: string) => `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`
