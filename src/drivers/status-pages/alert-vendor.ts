import type { Notice } from '../../status/publication.ts'
import { isDown } from '../../status/statuses.ts'
import type { HttpRequest } from './exchange.ts'
import type { Vendor } from './make-page.ts'
import { ownComponents, type StatusPageOptions } from './options.ts'

export interface Alert {
  readonly title: string
  readonly text: string
  readonly isDown: boolean
}

/** For `cli status test`. */
export const testAlert: Alert = { title: '[TEST]', text: 'Alerts from Menagerie arrive here.', isDown: false }

/** A notice that repeats the last reported status is a reminder. */
export function alertOf({ componentId, status, previousStatus, source, reportedAt }: Notice): Alert {
  const at = new Date(reportedAt).toISOString()
  if (!isDown(status)) return { title: `[UP] ${componentId}`, text: `Up again since ${at}.`, isDown: false }
  const title = `[${status === previousStatus ? 'STILL DOWN' : 'DOWN'}] ${componentId}`
  const text = source === 'silence' ? `No heartbeat; it was due at ${at}.` : `It reported ${status} at ${at}.`
  return { title, text, isDown: true }
}

interface AlertVendor {
  readonly kind: string
  readonly secrets: readonly string[]
  requestFor(alert: Alert): HttpRequest
}

/** A channel that gets outages and recoveries. */
export function alertVendor(options: StatusPageOptions, { kind, secrets, requestFor }: AlertVendor): Vendor {
  return {
    kind,
    isAlert: true,
    repeatEveryMs: options.reminderMs ?? null,
    secrets,
    covers: ownComponents(options, kind),
    requestFor: (notice) => requestFor(alertOf(notice)),
    probe: requestFor(testAlert),
  }
}
