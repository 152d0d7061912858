import { createHmac } from 'node:crypto'
import type { StatusPage } from '../../status/status-page.ts'
import { jsonHeaders, makePage } from './make-page.ts'
import { neededToken, noComponents, type PageOptions } from './options.ts'

/** Any address that takes signed events. */
export function openWebhook(options: PageOptions): StatusPage {
  const { url, clock, source: worker } = options
  noComponents(options, 'webhook')
  const secret = neededToken(options, 'webhook signs with it')
  return makePage(
    {
      kind: 'webhook',
      repeatEveryMs: null,
      secrets: [secret, ...secretsOf(url)],
      covers: () => true,
      pushOf({ componentId, status, previousStatus, source, reportedAt, incidentId, sequence }) {
        const body = JSON.stringify({
          event: 'component.status_changed',
          componentId,
          status,
          previousStatus,
          reportedAt: new Date(reportedAt).toISOString(),
          sequence,
          incidentId,
          source,
        })
        const at = Math.floor(clock.now() / 1000)
        const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
        return {
          method: 'POST',
          url,
          headers: {
            ...jsonHeaders,
            'X-Signature': `t=${at},v1=${signature}`,
            // A state that was put back from a backup counts on from there; its times do not.
            'Idempotency-Key': `${worker}-${componentId}-${sequence}-${reportedAt}`,
          },
          body,
        }
      },
      // It has this one already.
      judge: (answer) => (answer.kind === 'answered' && answer.status === 409 ? { kind: 'accepted' } : null),
      look: { method: 'GET', url },
    },
    options,
  )
}

/** A query may hold a key; what is shorter than one would be hidden wherever it stands. */
function secretsOf(url: string): string[] {
  const { search, searchParams } = new URL(url)
  return [search.slice(1), ...searchParams.values()].filter(({ length }) => length >= 8)
}
