import { createHash } from 'node:crypto'
import type { Notice } from '../../status/publication.ts'
import type { Outcome, StatusPage, Tested } from '../../status/status-page.ts'
import { styleOf } from './alert-vendor.ts'
import { type Alert, alertOf, testAlertOf } from './alerts.ts'
import { defaultTimeoutMs } from './client.ts'
import { inHtml } from './escape.ts'
import { pageOf, unreached } from './make-page.ts'
import { mailAddresses, ownComponents, type StatusPageOptions } from './options.ts'
import { failed } from './outcomes.ts'
import { type Delivery, deliver } from './smtp.ts'

/** A reminder and an acknowledgement have the numbers of the outage: without a time they would pass for its copy. */
const idOf = ({ componentId, sequence, reportedAt, acknowledged, repeatedAt }: Notice): string =>
  [componentId, sequence, reportedAt, acknowledged?.at ?? repeatedAt].join(' ')

/** Mail over SMTP, as an alert channel. */
export function openMail(options: StatusPageOptions): StatusPage {
  const { token: password, clock, source, timeoutMs = defaultTimeoutMs } = options
  const url = new URL(options.url)
  const from = mailAddresses(options, 'FROM', options.from).join(', ')
  const to = mailAddresses(options, 'TO', options.to)
  const covers = ownComponents(options, 'mail')
  const isHtml = options.template?.trimStart().startsWith('<') === true
  const own = styleOf(isHtml ? { ...options, template: null } : options)
  const style = isHtml ? styleOf(options, inHtml) : null
  const address = `${url.protocol}//${url.host}`
  const deliveries = new Set<Delivery>()
  let isClosed = false

  async function send({ title: subject, text }: Alert, html: Alert | null, id: string): Promise<Outcome> {
    if (isClosed) return failed('not sent: CLOSED')
    // A retry after an unknown outcome has the same id, so that the receiver can drop the second copy.
    const messageId = `${createHash('sha256').update(`${source} ${id}`).digest('hex').slice(0, 32)}@menagerie`
    const mail = { from, to, subject, text, ...(html && { html: html.text }), date: new Date(clock.now()), messageId }
    const delivery = deliver({ url, password }, mail, timeoutMs)
    deliveries.add(delivery)
    const outcome = await delivery.outcome
    deliveries.delete(delivery)
    return outcome
  }

  async function test(): Promise<Tested> {
    const start = clock.monotonic()
    const at = clock.now()
    const outcome = await send(testAlertOf(own, at), style && testAlertOf(style, at), `test ${at}`)
    const durationMs = Math.round(clock.monotonic() - start)
    const reached = outcome.kind === 'accepted'
    return { outcome, probe: { ...unreached(address, ''), reached, durationMs, error: outcome.reason ?? null } }
  }

  const vendor = { kind: 'mail', isAlert: true, takesLinks: true, repeatEveryMs: options.reminderMs ?? null, covers }
  return pageOf(vendor, {
    address,
    async push(...notices) {
      const ids = notices.map(idOf).sort()
      return send(alertOf(notices, own), style && alertOf(notices, style), ids.join())
    },
    probe: async () => (await test()).probe,
    test,
    async close() {
      isClosed = true
      for (const delivery of deliveries) delivery.abort('CLOSED')
      await Promise.all([...deliveries].map(({ outcome }) => outcome))
    },
  })
}
