import { Field } from './field.tsx'

/** The field of acts that need the password, shown once the service has asked for it. */
export const PasswordAgain = () => (
  <Field
    label="Your own password"
    name="password"
    type="password"
    autoComplete="current-password"
    hint="Needed, since you signed in more than 10 minutes ago."
    required
    autoFocus
  />
)

/** The password in the form, if it was asked for. */
export function passwordIn(form: FormData): { readonly password?: string } {
  const password = String(form.get('password') ?? '')
  return password === '' ? {} : { password }
}
