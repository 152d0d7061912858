import { priorityOf, type Role } from '../roles.ts'

/* Who may do what to whom, by role. act-on-user.ts has already refused acts on oneself. */

const outranks = (actor: Role, other: Role) => priorityOf(actor) > priorityOf(other)

/** Applies to unban, revoke-token, reset-password and delete, too. */
export const mayBan = (actor: Role, target: Role) => outranks(actor, target)

export const mayRename = (actor: Role, target: Role) => outranks(actor, target)

/** The new role must be below the actor's, too. */
export const mayChangeRole = (actor: Role, target: Role, newRole: Role) =>
  outranks(actor, target) && outranks(actor, newRole)

/** Equivalent to changing the role of a new `user`. */
export const mayCreate = (actor: Role, role: Role) => mayChangeRole(actor, 'user', role)
