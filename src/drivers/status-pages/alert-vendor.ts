import { type Alert, alertOf, type Style, testAlertOf } from './alerts.ts'
import { type Escape, plain } from './escape.ts'
import type { HttpRequest } from './exchange.ts'
import type { Vendor } from './make-page.ts'
import { namesOf, ownComponents, type StatusPageOptions, templateOf } from './options.ts'

interface AlertVendor {
  readonly kind: string
  readonly secrets: readonly string[]
  /** What components say, for the text. */
  readonly escapeText?: Escape
  readonly hasButtons?: boolean
  requestFor(alert: Alert): HttpRequest
}

export const styleOf = (options: StatusPageOptions, escapeText: Escape = plain, hasButtons = false): Style => ({
  names: namesOf(options),
  template: templateOf(options),
  escapeText,
  hasButtons,
})

/** A channel that gets outages and recoveries. */
export function alertVendor(
  options: StatusPageOptions,
  { kind, secrets, escapeText, hasButtons, requestFor }: AlertVendor,
): Vendor {
  const style = styleOf(options, escapeText, hasButtons)
  return {
    kind,
    isAlert: true,
    takesLinks: true,
    repeatEveryMs: options.reminderMs ?? null,
    secrets,
    covers: ownComponents(options, kind),
    requestFor: (...notices) => requestFor(alertOf(notices, style)),
    probe: requestFor(testAlertOf(style, options.clock.now())),
  }
}

/** A chat has no title apart from the text, so a template has both. */
export const chatText = ({ template = null }: StatusPageOptions, title: string, text: string): string =>
  template === null ? `${title} ${text}` : text
