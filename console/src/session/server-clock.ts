/** How far the service's clock is ahead of the browser's, which may be off by an hour. */
let aheadMs = 0

/** The requests that the service allows this address in a window. */
interface Allowance {
  readonly max: number
  readonly left: number
  /** By the service's clock. */
  readonly endsAt: number
}

let allowance: Allowance | null = null

/** `fetch` that reads the service's clock and limit from its replies. */
export const timedFetch: typeof fetch = async (...args) => {
  const response = await fetch(...args)
  const { headers, url } = response
  const date = Date.parse(headers.get('date') ?? '')
  // The header omits the fraction. Uncorrected, an event of just now would show as "in 1 second".
  if (!Number.isNaN(date)) aheadMs = Math.abs(date - Date.now()) < 2_000 ? 0 : date + 1_000 - Date.now()
  // Other routes may report a narrower limit.
  if (url.includes('/admin/')) allowance = allowanceOf(headers)
  return response
}

function allowanceOf(headers: Headers): Allowance | null {
  const [max, left, seconds] = ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)))
  return max && left !== undefined && seconds ? { max, left, endsAt: seconds * 1_000 } : null
}

/** As of the last reply; null if there is no limit or the window is over. */
export const presentAllowance = () => (allowance !== null && allowance.endsAt > serverNow() ? allowance : null)

/** Now, by the service's clock. */
export const serverNow = (): number => Date.now() + aheadMs
