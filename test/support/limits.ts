/** High rather than off: they count as shipped but refuse nothing. */
export const highLimits: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'GLOBAL',
    'AUTH',
    'REGISTER',
    'LOGIN_ADDRESS',
    'LOGIN_NAME',
    'EMBED_LINK',
    'EMBED_ADDRESS',
    'REPORT',
    'SESSION',
  ].flatMap((scope) => [
    [`RATE_LIMIT_${scope}_MAX`, '1000000000'],
    ...(/LOGIN|EMBED|SESSION|REPORT/.test(scope) ? [] : [[`RATE_LIMIT_${scope}_SLOW_AFTER`, '1000000000']]),
  ]),
)
