/** By ascending priority. */
export const roles = ['user', 'support', 'moderator', 'admin', 'owner'] as const

export type Role = (typeof roles)[number]

export const priorityOf = (role: Role): number => roles.indexOf(role)

const atLeast = (least: Role): readonly Role[] => roles.slice(priorityOf(least))

/** The roles that may use each part of the administration. Its routes admit them, and the console shows it to them. */
export const permitted = {
  findUser: atLeast('support'),
  readStatus: atLeast('support'),
  moderate: atLeast('moderator'),
  administer: atLeast('admin'),
} as const satisfies Readonly<Record<string, readonly Role[]>>
