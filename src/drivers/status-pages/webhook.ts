import { createHmac } from 'node:crypto'
import type { StatusPage } from '../../status/status-page.ts'
import type { HttpRequest } from './exchange.ts'
import { jsonHeaders, makePage } from './make-page.ts'
import { ownComponents, requiredToken, type StatusPageOptions } from './options.ts'

/** Any URL that accepts signed events. */
export function openWebhook(options: StatusPageOptions): StatusPage {
  const { url, clock, source: worker } = options
  const covers = ownComponents(options, 'webhook')
  const secret = requiredToken(options, 'webhook signs with it')

  function signed(event: object, key: string): HttpRequest {
    const body = JSON.stringify(event)
    const at = Math.floor(clock.now() / 1000)
    const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
    const headers = { ...jsonHeaders, 'X-Signature': `t=${at},v1=${signature}`, 'Idempotency-Key': `${worker}-${key}` }
    return { method: 'POST', url, headers, body }
  }

  return makePage(
    {
      kind: 'webhook',
      repeatEveryMs: null,
      secrets: [secret, ...secretsIn(url)],
      covers,
      requestFor({ componentId, status, previousStatus, source, reportedAt, incidentId, sequence }) {
        const event = {
          event: 'component.status_changed',
          componentId,
          status,
          previousStatus,
          reportedAt: new Date(reportedAt).toISOString(),
          sequence,
          incidentId,
          source,
        }
        // A state restored from a backup reuses sequence numbers, but not times.
        return signed(event, `${componentId}-${sequence}-${reportedAt}`)
      },
      // 409: the receiver already has this event.
      judge: (result) => (result.kind === 'response' && result.status === 409 ? { kind: 'accepted' } : null),
      probe: { method: 'GET', url },
      test: () => signed({ event: 'test', sentAt: new Date(clock.now()).toISOString() }, `test-${clock.now()}`),
    },
    options,
  )
}

/** A query may contain a key. Anything shorter than a key would be masked wherever it occurs. */
function secretsIn(url: string): string[] {
  const { search, searchParams } = new URL(url)
  return [search.slice(1), ...searchParams.values()].filter(({ length }) => length >= 8)
}
