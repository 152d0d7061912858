import type { StatusPage } from '../../status/status-page.ts'
import { jsonHeaders, makePage } from './make-page.ts'
import { ownComponents, type StatusPageOptions, visibleAscii } from './options.ts'

/** A service that speaks our own protocol. */
export function openNative(options: StatusPageOptions): StatusPage {
  const { token, prefix } = options
  const covers = ownComponents(options, 'native')
  const url = `${options.url}/status-api/status`
  const auth = token === null ? {} : { Authorization: `Bearer ${visibleAscii(token, `${prefix}_TOKEN`)}` }
  return makePage(
    {
      kind: 'native',
      repeatEveryMs: null,
      secrets: token === null ? [] : [token],
      covers,
      requestFor: ({ componentId, status, previousStatus, source, reportedAt, incidentId, sequence }) => ({
        method: 'POST',
        url,
        headers: { ...jsonHeaders, ...auth },
        body: JSON.stringify({
          componentId,
          status,
          previousStatus,
          source,
          reportedAt: new Date(reportedAt).toISOString(),
          incidentId,
          sequence,
        }),
      }),
      probe: { method: 'GET', url, headers: { Accept: 'application/json', ...auth } },
    },
    options,
  )
}
