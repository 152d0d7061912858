import type { Refusal } from '../../http/refusal.ts'

export const errors = {
  unknownBadge: {
    status: 404,
    message: 'Unknown badge',
    when: '`STATUS_PAGE_COMPONENTS` does not name the component',
  },
  unknownIncident: {
    status: 404,
    message: 'Unknown incident',
    when: 'it is not public, or it ended more than 90 days ago',
  },
  workerAway: {
    status: 503,
    message: 'Status worker is unavailable',
    headers: { 'Retry-After': '10' },
    when: 'no status worker responds, so nothing is known',
  },
  badDays: { status: 400, message: 'days must be one of 7, 30, 90' },
} as const satisfies Record<string, Refusal>
