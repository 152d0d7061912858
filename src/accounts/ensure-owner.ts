import type { Config } from '../config/config.ts'
import { BadSetting } from '../config/parser.ts'
import type { Logger } from '../process/logger.ts'
import { systemOrigin } from './audit.ts'
import { type CreateDeps, createAccount } from './create-account.ts'
import { isAllowedPassword, maxPasswordBytes } from './passwords.ts'

interface FirstOwner {
  readonly username: string
  readonly password: string
}

/** The owner in the settings. Throws BadSetting if only name or password is set, or the password is not allowed. */
export function firstOwnerOf({
  OWNER_USERNAME,
  OWNER_PASSWORD,
  PASSWORD_MIN_LENGTH,
}: Pick<Config, 'OWNER_USERNAME' | 'OWNER_PASSWORD' | 'PASSWORD_MIN_LENGTH'>): FirstOwner | null {
  if (OWNER_USERNAME === null && OWNER_PASSWORD === null) return null
  if (OWNER_USERNAME === null || OWNER_PASSWORD === null) {
    const missing = OWNER_USERNAME === null ? 'OWNER_USERNAME' : 'OWNER_PASSWORD'
    throw new BadSetting(`${missing}: expected a value, since the other of OWNER_USERNAME and OWNER_PASSWORD is set`)
  }
  if (isAllowedPassword(OWNER_PASSWORD, PASSWORD_MIN_LENGTH))
    return { username: OWNER_USERNAME, password: OWNER_PASSWORD }
  throw new BadSetting(
    `OWNER_PASSWORD: expected at least ${PASSWORD_MIN_LENGTH} characters and at most ${maxPasswordBytes} bytes`,
  )
}

/** At startup, if there is no owner: creates the one in the settings. Never promotes an existing account. */
export async function ensureOwner(deps: CreateDeps, { username, password }: FirstOwner, log: Logger): Promise<void> {
  const { users } = deps
  if (await users.ownerExists()) return
  if (await createAccount(deps, systemOrigin, { username, role: 'owner', password }))
    log.info({ username }, 'created the owner account that OWNER_USERNAME names')
  // If two instances start at once, the name may be taken by the owner that the other created.
  else if (!(await users.ownerExists()))
    log.warn({ username }, 'OWNER_USERNAME belongs to an account that is not an owner; nothing was changed')
}
