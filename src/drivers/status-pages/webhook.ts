import { createHmac } from 'node:crypto'
import type { StatusPage } from '../../status/status-page.ts'
import { fieldsOf } from './alert-text.ts'
import { filled, testFieldsOf } from './alerts.ts'
import { inJson } from './escape.ts'
import type { HttpRequest } from './exchange.ts'
import { jsonHeaders, makePage } from './make-page.ts'
import { badTemplate, namesOf, ownComponents, requiredToken, type StatusPageOptions, templateOf } from './options.ts'
import type { Template } from './template.ts'

/** Any URL that accepts signed events. */
export function openWebhook(options: StatusPageOptions): StatusPage {
  const { url, clock, source: worker } = options
  const covers = ownComponents(options, 'webhook')
  const secret = requiredToken(options, 'webhook signs with it')
  const [names, template] = [namesOf(options), templateOf(options)]
  if (template !== null && !isJson(template)) throw badTemplate(options, 'JSON with fields only within its strings')

  function signed(body: string, key: string): HttpRequest {
    const at = Math.floor(clock.now() / 1000)
    const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
    const headers = { ...jsonHeaders, 'X-Signature': `t=${at},v1=${signature}`, 'Idempotency-Key': `${worker}-${key}` }
    return { method: 'POST', url, headers, body }
  }

  return makePage(
    {
      kind: 'webhook',
      repeatEveryMs: null,
      takesLinks: template?.some((piece) => typeof piece !== 'string' && piece.field === 'acknowledge') ?? false,
      secrets: [secret, ...secretsIn(url)],
      covers,
      requestFor(notice) {
        const { componentId, status, previousStatus, source, reportedAt, incidentId, sequence } = notice
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
        const body = template === null ? JSON.stringify(event) : filled(template, fieldsOf(notice, names), inJson)
        return signed(body, `${componentId}-${sequence}-${reportedAt}`)
      },
      // 409: the receiver already has this event.
      judge: (result) => (result.kind === 'response' && result.status === 409 ? { kind: 'accepted' } : null),
      probe: { method: 'GET', url },
      test() {
        const at = clock.now()
        const event = { event: 'test', sentAt: new Date(at).toISOString() }
        const body = template === null ? JSON.stringify(event) : filled(template, testFieldsOf(names, at), inJson)
        return signed(body, `test-${at}`)
      },
    },
    options,
  )
}

/** A letter is JSON only within a string. */
function isJson(template: Template): boolean {
  try {
    JSON.parse(template.map((piece) => (typeof piece === 'string' ? piece : 'x')).join(''))
    return true
  } catch {
    return false
  }
}

/** A query may contain a key. Anything shorter than a key would be masked wherever it occurs. */
function secretsIn(url: string): string[] {
  const { search, searchParams } = new URL(url)
  return [search.slice(1), ...searchParams.values()].filter(({ length }) => length >= 8)
}
