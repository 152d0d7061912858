/** The form of a username: for the routes, the settings and the tool. */
export const usernameForm = { minLength: 3, maxLength: 32, pattern: '^[a-zA-Z0-9_.-]+$' } as const

const pattern = new RegExp(usernameForm.pattern)

/** Whether there can be a name with this in it. */
export const isUsernamePart = (text: string) => text.length <= usernameForm.maxLength && pattern.test(text)

export const isUsername = (text: string) => text.length >= usernameForm.minLength && isUsernamePart(text)
