export const usernameForm = { minLength: 3, maxLength: 32, pattern: '^[a-zA-Z0-9_.-]+$' } as const

const pattern = new RegExp(usernameForm.pattern)

/** Whether a username can contain this text. */
export const isUsernamePart = (text: string) => text.length <= usernameForm.maxLength && pattern.test(text)

export const isUsername = (text: string) => text.length >= usernameForm.minLength && isUsernamePart(text)
