import { Field } from '../parts/field.tsx'
import { passwordRule } from '../parts/password-rule.ts'
import { fitsRule } from './first-owner-form.ts'

/** The password of a new account, checked by the rule before it is sent: only some attempts are allowed. */
export const NewPassword = () => (
  <Field
    label="Password"
    name="password"
    type="password"
    autoComplete="new-password"
    hint={`${passwordRule}.`}
    onInput={({ currentTarget }) => {
      const isRight = currentTarget.value === '' || fitsRule(currentTarget.value, passwordRule)
      currentTarget.setCustomValidity(isRight ? '' : `${passwordRule}.`)
    }}
    required
  />
)
