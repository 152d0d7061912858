import type { Refusal } from '../http/refusal.ts'

const retryAtOnce = { 'Retry-After': '1' }

export const errors = {
  tooMany: {
    status: 429,
    message: 'Too many requests from this IP, please try again later.',
    envelope: 'status',
    when: 'a limit is exceeded; `Retry-After` gives the seconds to wait',
  },
  tooManyDelayed: {
    status: 503,
    message: 'Too many requests are being delayed, please try again',
    envelope: 'status',
    headers: retryAtOnce,
  },
  tooMuchBehind: {
    status: 503,
    message: 'Too much data was sent while the request was delayed, please try again',
    envelope: 'status',
    headers: retryAtOnce,
    when: 'a delayed request has a large body, or many requests behind it on its connection',
  },
  stopping: {
    status: 503,
    message: 'Service is stopping, please try again',
    envelope: 'status',
    headers: retryAtOnce,
  },
} as const satisfies Record<string, Refusal>
