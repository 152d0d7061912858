import { priorityOf, type Role } from '../roles.ts'

/* The rules of who may do what to whom, by role alone; that nobody acts on himself is asked before. */

const outranks = (actor: Role, other: Role) => priorityOf(actor) > priorityOf(other)

/** Also of unban and of signing somebody out. */
export const mayBan = (actor: Role, target: Role) => outranks(actor, target)

export const mayRename = (actor: Role, target: Role) => outranks(actor, target)

/** Nobody gives a role that he could not take away again. */
export const mayChangeRole = (actor: Role, target: Role, newRole: Role) =>
  outranks(actor, target) && outranks(actor, newRole)
