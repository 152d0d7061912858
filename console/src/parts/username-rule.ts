import { usernameForm } from '../../../src/accounts/username.ts'

const { minLength, maxLength } = usernameForm
export const usernameRule = `${minLength} to ${maxLength} letters, digits, underscores, hyphens and dots.`
