import type { Origin } from './audit.ts'
import type { Session } from './tokens.ts'
import type { Users } from './users.ts'

/** Ends this session, unless a newer one has replaced it. */
export async function logout({ users }: { users: Users }, by: Origin, { userId, tokenHash }: Session): Promise<void> {
  by.aim?.(userId)
  await users.change({ action: 'logout', by, target: { id: userId } }, ({ target }) =>
    target?.tokenHash === tokenHash ? { values: { tokenHash: null } } : null,
  )
}
