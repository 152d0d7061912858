import { type Alert, alertOf, testAlert } from './alerts.ts'
import type { HttpRequest } from './exchange.ts'
import type { Vendor } from './make-page.ts'
import { ownComponents, type StatusPageOptions } from './options.ts'

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
    requestFor: (...notices) => requestFor(alertOf(notices)),
    probe: requestFor(testAlert),
  }
}
