interface Details {
  readonly code?: unknown
  readonly severity?: unknown
  readonly errors?: readonly unknown[]
}

/** Errors whose messages are for the operator. By name, to avoid loading their modules. */
const ours = ['BadSetting', 'BadDatabase', 'Failed', 'Refusal', 'NoSuchBucket']

/** An operational failure as one line that names the setting or file; null for a bug, which needs its stack. */
export function describeFailure(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const line = lineOf(error)
  return line === null ? null : line.replace(/\s*[\r\n]\s*/g, ' ')
}

function lineOf(error: Error): string | null {
  if (ours.includes(error.name)) return error.message
  if (error.name === 'Unavailable') return unavailable(error)
  if (error.name === 'TooSlow') return `DATABASE_URL: ${error.message}: ${messageOf(error.cause)}; try again`
  if (isSqlite(error)) return `DATA_DIR: cannot use the database: ${error.message}`
  if (accessDenied.test(codeOf(error)) && isPostgres(error)) return `DATABASE_URL: ${error.message}`
  // A file system error: its message contains the path.
  if ('syscall' in error) return `DATA_DIR: ${error.message}; ${remedies[codeOf(error)] ?? remedyOfFile}`
  return null
}

const remedyOfFile = 'check the file, its owner and mode'
/** For errors that are not of one file. */
const remedies: Readonly<Record<string, string>> = {
  ENOSPC: 'free space on its disk, or inodes (df -h, df -i)',
  EDQUOT: 'free space, or raise the disk quota of the user that runs it',
  EROFS: 'its file system is mounted read-only: mount it read-write, or choose another folder',
  EIO: 'check the disk, and the log of the kernel',
  EMFILE: 'raise the limit of open files of the process (LimitNOFILE, ulimit -n)',
  ENFILE: 'raise the limit of open files of the machine (fs.file-max)',
}

const codeOf = (error: unknown) => String((error as Details | undefined)?.code ?? '')
const isSqlite = (error: unknown) => codeOf(error) === 'ERR_SQLITE_ERROR'
const isPostgres = (error: unknown) => typeof (error as Details | undefined)?.severity === 'string'
/** SQLSTATE: invalid authorization, unknown database, insufficient privilege. */
const accessDenied = /^(28|3D|42501$)/

function unavailable({ message, cause }: Error): string {
  const reason = messageOf(cause)
  if (isSqlite(cause)) return `DATA_DIR: ${message}: ${reason}`
  // A server that responds is reachable: its message is enough.
  if (isPostgres(cause)) return `DATABASE_URL: ${reason}`
  return `DATABASE_URL: ${message}: ${reason}; ${remedyOfConnection(reason, 'check that it is running')}`
}

/** A server whose certificate is refused is running. */
export const remedyOfConnection = (reason: string, otherwise: string): string =>
  unknownIssuer.test(reason)
    ? 'check its certificate; Node reads the file of an authority of your own from NODE_EXTRA_CA_CERTS in the environment, not in .env'
    : /certificate|CERT_/i.test(reason)
      ? 'check its certificate'
      : otherwise

/** OpenSSL's texts, and Node's codes for them. */
const unknownIssuer = /self.signed|issuer certificate|verify the first certificate|_ISSUER_CERT|_LEAF_SIGNATURE/i

/** The message or code; for an AggregateError (several addresses), that of its first error. */
export function messageOf(error: unknown): string {
  const [first = error] = (error as Details | undefined)?.errors ?? []
  return (first instanceof Error && first.message) || codeOf(error) || 'no reason given'
}
