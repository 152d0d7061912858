/** How far the service's clock is ahead of the browser's, which may be off by an hour. */
let aheadMs = 0

/** `fetch` that reads the service's clock from its replies. */
export const timedFetch: typeof fetch = async (...args) => {
  const response = await fetch(...args)
  const date = Date.parse(response.headers.get('date') ?? '')
  // The header has whole seconds.
  if (!Number.isNaN(date)) aheadMs = Math.abs(date - Date.now()) < 2_000 ? 0 : date - Date.now()
  return response
}

/** Now, by the service's clock. */
export const serverNow = (): number => Date.now() + aheadMs
