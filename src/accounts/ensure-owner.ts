import { BadSetting } from '../config/parser.ts'
import type { Logger } from '../process/logger.ts'
import { systemOrigin } from './audit.ts'
import { newAccount } from './new-account.ts'
import { isAllowedPassword, mostPasswordBytes } from './passwords.ts'
import type { RegisterDeps } from './register.ts'

export interface OwnerSettings {
  readonly OWNER_USERNAME: string | null
  readonly OWNER_PASSWORD: string | null
  readonly PASSWORD_MIN_LENGTH: number
}

export interface FirstOwner {
  readonly username: string
  readonly password: string
}

/** The owner that the settings name; throws BadSetting where they name half of one, or a password against the rule. */
export function firstOwnerOf({
  OWNER_USERNAME,
  OWNER_PASSWORD,
  PASSWORD_MIN_LENGTH,
}: OwnerSettings): FirstOwner | null {
  if (OWNER_USERNAME === null && OWNER_PASSWORD === null) return null
  if (OWNER_USERNAME === null || OWNER_PASSWORD === null) {
    const missing = OWNER_USERNAME === null ? 'OWNER_USERNAME' : 'OWNER_PASSWORD'
    throw new BadSetting(`${missing}: expected a value, since the other of OWNER_USERNAME and OWNER_PASSWORD is set`)
  }
  if (isAllowedPassword(OWNER_PASSWORD, PASSWORD_MIN_LENGTH))
    return { username: OWNER_USERNAME, password: OWNER_PASSWORD }
  throw new BadSetting(
    `OWNER_PASSWORD: expected at least ${PASSWORD_MIN_LENGTH} characters and at most ${mostPasswordBytes} bytes`,
  )
}

/** At start, if there is no owner: makes the one that the settings name. An account that exists is never raised. */
export async function ensureOwner(
  { users, passwords, clock, newId }: Omit<RegisterDeps, 'tokens'>,
  { username, password }: FirstOwner,
  log: Logger,
): Promise<void> {
  if (await users.ownerExists()) return
  const passwordHash = await passwords.hash(password)
  const account = newAccount({ id: newId(), username, role: 'owner', passwordHash, tokenHash: null, now: clock.now() })
  const made = await users.insert(account, { action: 'create', by: systemOrigin })
  if (made) log.info({ username }, 'owner account made from OWNER_USERNAME')
  // Two instances may start at once: the name is taken then too, by the owner that the other one made.
  else if (!(await users.ownerExists())) {
    log.warn({ username }, 'OWNER_USERNAME belongs to an account that is no owner; nothing was changed')
  }
}
