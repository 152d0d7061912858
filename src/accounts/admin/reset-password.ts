import { ClientGone } from '../../http/json-body.ts'
import { refuse } from '../../http/refusal.ts'
import type { Origin } from '../audit.ts'
import type { CreateDeps } from '../create-account.ts'
import { errors as accountErrors } from '../errors.ts'
import type { Account, Who } from '../users.ts'
import { type ActDeps, actOnUser, type UserAct } from './act-on-user.ts'
import { errors } from './errors.ts'
import { mayBan } from './permissions.ts'

export type ResetDeps = ActDeps & Pick<CreateDeps, 'passwords'>

interface NewHash {
  readonly passwordHash: string
  /** The actor's account, if the actor has proven its password. */
  readonly proven: Account | null
}

const act: UserAct<NewHash> = {
  action: 'reset-password',
  may: mayBan,
  errors: { self: errors.selfReset, forbidden: errors.cannotReset },
  change(_, { passwordHash, proven }, { actor }) {
    if (proven !== null && proven.passwordHash !== actor?.passwordHash) refuse(accountErrors.tokenInvalid)
    return { values: { passwordHash, tokenHash: null } }
  },
}

interface ResetOptions {
  readonly proven: Account | null
  readonly isDryRun: boolean
  readonly signal: AbortSignal
}

/**
 * Gives the account a random password, and ends everything that acts for its user. The password, which nobody else
 * knows, is null after a dry run. If the client disconnects, nothing changes.
 */
export async function resetPassword(
  deps: ResetDeps,
  by: Origin,
  who: Who,
  { proven, isDryRun, signal }: ResetOptions,
): Promise<{ readonly account: Account; readonly password: string | null }> {
  const password = isDryRun ? null : deps.passwords.make()
  const passwordHash = password === null ? '' : await deps.passwords.hash(password, signal)
  if (signal.aborted) throw new ClientGone()
  const { account } = await actOnUser(deps, act, by, who, { passwordHash, proven }, isDryRun)
  return { account, password }
}
