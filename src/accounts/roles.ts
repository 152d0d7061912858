/** By ascending priority. */
export const roles = ['user', 'support', 'moderator', 'admin', 'owner'] as const

export type Role = (typeof roles)[number]

export const priorityOf = (role: Role): number => roles.indexOf(role)
