import { Field } from './field.tsx'

/** The field of acts that need the password. `isAsked`: the service has refused the act without it. */
export const PasswordAgain = ({ isAsked }: { readonly isAsked: boolean }) => (
  <Field
    label="Your own password"
    name="password"
    type="password"
    autoComplete="current-password"
    hint="Needed, since you signed in more than 10 minutes ago."
    required
    autoFocus={isAsked}
  />
)

/** The password in the form, if it was asked for. */
export function passwordIn(form: FormData): { readonly password?: string } {
  const password = String(form.get('password') ?? '')
  return password === '' ? {} : { password }
}
