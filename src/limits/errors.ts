import type { Refusal } from '../http/refusal.ts'

const retryAtOnce = { 'Retry-After': '1' }

export const errors = {
  tooMany: {
    status: 429,
    message: 'Too many requests from this IP, please try again later.',
    envelope: 'status',
    when: 'a limit is exceeded; `Retry-After` says for how many seconds',
  },
  tooManyHeld: {
    status: 503,
    message: 'Too many requests are waiting at the moment, please try again',
    envelope: 'status',
    headers: retryAtOnce,
    when: 'too many slowed down requests are held',
  },
  tooMuchBehind: {
    status: 503,
    message: 'Too much was sent while the request was waiting, please try again',
    envelope: 'status',
    headers: retryAtOnce,
    when: 'a slowed down request has a large body, or many others behind it on its connection',
  },
  stopping: {
    status: 503,
    message: 'Service is stopping, please try again',
    envelope: 'status',
    headers: retryAtOnce,
    when: 'it was being slowed down when the service was stopped',
  },
} as const satisfies Record<string, Refusal>
