/** The form of a username: for the routes, the settings and the tool. */
export const usernameForm = { minLength: 3, maxLength: 32, pattern: '^[a-zA-Z0-9_.-]+$' } as const
