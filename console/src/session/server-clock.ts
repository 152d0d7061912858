/** How far the service's clock is ahead of the browser's, which may be off by an hour. */
let aheadMs = 0

/** `fetch` that reads the service's clock from its replies. */
export const timedFetch: typeof fetch = async (...args) => {
  const response = await fetch(...args)
  const date = Date.parse(response.headers.get('date') ?? '')
  // The header leaves out the fraction; without it, what has just happened would be "in 1 second".
  if (!Number.isNaN(date)) aheadMs = Math.abs(date - Date.now()) < 2_000 ? 0 : date + 1_000 - Date.now()
  return response
}

/** Now, by the service's clock. */
export const serverNow = (): number => Date.now() + aheadMs
