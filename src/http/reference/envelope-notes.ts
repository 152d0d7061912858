import { renderError } from '../envelopes.ts'
import type { Envelope } from '../refusal.ts'

/** Each shape of an error, and who answers in it. */
export const envelopeNotes: readonly { readonly envelope: Envelope; readonly body: string; readonly use: string }[] = [
  {
    envelope: 'error',
    body: renderError('error', 400, 'Username is required', ''),
    use: 'What a route under `/auth` refuses: its input and credentials.',
  },
  {
    envelope: 'status',
    body: renderError('status', 401, 'Invalid or revoked access token', ''),
    use: 'Access (401 and 403), and a part that is busy or away (503), on every route.',
  },
  {
    envelope: 'message',
    body: renderError('message', 404, 'Not Found - GET /nowhere', 'N/A'),
    use: 'Unmatched paths, base routes, unexpected failures, and requests that are not valid HTTP. `stack` is the literal `N/A` unless `NODE_ENV` is `development`.',
  },
  {
    envelope: 'ok',
    body: renderError('ok', 403, 'Forbidden', ''),
    use: 'Every error of the status worker.',
  },
]
