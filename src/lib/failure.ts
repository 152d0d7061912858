interface Details {
  readonly code?: unknown
  readonly severity?: unknown
  readonly errors?: readonly unknown[]
}

/** Their messages are for the operator as they are. By name, so that nothing is loaded for them. */
const ours = ['BadSetting', 'BadDatabase', 'Failed']

/**
 * What the world outside did to this program, in one line that names the setting or the file; null for anything
 * else: that is a mistake in the program, and needs its stack.
 */
export function describeFailure(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const line = lineOf(error)
  return line === null ? null : line.replace(/\s*[\r\n]\s*/g, ' ')
}

function lineOf(error: Error): string | null {
  if (ours.includes(error.name)) return error.message
  if (error.name === 'Unavailable') return unavailable(error)
  if (isSqlite(error)) return `DATA_DIR: the database in it cannot be used: ${error.message}`
  if (mayNot.test(codeOf(error)) && isPostgres(error)) return `DATABASE_URL: ${error.message}`
  // From the file system: the message names the file and what is wrong with it.
  if ('syscall' in error) return `DATA_DIR: ${error.message}; check what stands there, and whose it is`
  return null
}

const codeOf = (error: unknown) => String((error as Details).code ?? '')
const isSqlite = (error: unknown) => codeOf(error) === 'ERR_SQLITE_ERROR'
const isPostgres = (error: unknown) => typeof (error as Details).severity === 'string'
/** PostgreSQL's refusal of a login, of a database that is not there, and of a right. */
const mayNot = /^(28|3D|42501$)/

function unavailable({ message, cause }: Error): string {
  const reason = messageOf(cause)
  if (isSqlite(cause)) return `DATA_DIR: ${message}: ${reason}`
  // A server that answers is reachable: what it says is the whole of it.
  if (isPostgres(cause)) return `DATABASE_URL: ${reason}`
  return `DATABASE_URL: ${message}: ${reason}; check that it runs there`
}

/** The message, or the code. An attempt at several addresses (AggregateError) has none of its own: that of the first. */
export function messageOf(error: unknown): string {
  const [first = error] = (error as Details | undefined)?.errors ?? []
  return (first instanceof Error && first.message) || codeOf(error ?? {}) || 'no reason given'
}
