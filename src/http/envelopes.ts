import type { Envelope, Refusal } from './refusal.ts'
import type { Route } from './route.ts'

/** Chosen by the refusal, else its route, else the service. The worker has only one. */
export function envelopeOf(refusal: Refusal, route: Pick<Route, 'envelope'> | null, ofService: Envelope): Envelope {
  return ofService === 'ok' ? 'ok' : (refusal.envelope ?? route?.envelope ?? ofService)
}

/** Renders every error. `stack` is the literal N/A outside development. */
export function renderError(envelope: Envelope, status: number, message: string, stack: string): string {
  switch (envelope) {
    case 'error':
      return JSON.stringify({ error: message })
    case 'status':
      return JSON.stringify({ status, message })
    case 'message':
      return JSON.stringify({ message, stack })
    case 'ok':
      return JSON.stringify({ ok: false, error: message })
  }
}

/** Replaces `<NAME>` in a message with its value. */
export function fillIn(message: string, texts: Readonly<Record<string, string>>): string {
  return message.includes('<')
    ? message.replace(/<([A-Z_]+)>/g, (whole, name: string) => texts[name] ?? whole)
    : message
}
