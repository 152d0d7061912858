import type { Refusal } from './refusal.ts'

/** Errors of the protocol itself, on any route. */
export const protocolErrors = {
  badRequest: { status: 400, message: 'Bad Request', when: 'the request is not valid HTTP' },
  badHost: { status: 400, message: 'Request must have exactly one valid Host header' },
  badUrl: { status: 400, message: 'Request URL is not valid' },
  timeout: { status: 408, message: 'Request was not received in time' },
  expectation: { status: 417, message: 'Expect must be 100-continue' },
  headTooLarge: { status: 431, message: 'Request head is too large', when: 'more than 16 KiB or 100 lines' },
  internal: { status: 500, message: 'Internal Server Error', envelope: 'message' },
  badEncoding: { status: 415, message: 'Content-Encoding is not supported' },
  badJson: { status: 400, message: 'Request body is not valid JSON' },
  tooLarge: { status: 413, message: 'Request body is too large' },
  badType: { status: 415, message: 'Content-Type must be application/json' },
  unknownParameter: {
    status: 400,
    message: 'Unknown parameter: <PARAMETER>',
    when: 'the query has a parameter that is not listed here',
  },
  unavailable: {
    status: 503,
    message: 'Service is temporarily unavailable, please try again',
    envelope: 'status',
    headers: { 'Retry-After': '1' },
    when: 'a dependency, such as the database, is unavailable or too slow',
  },
} as const satisfies Record<string, Refusal>
