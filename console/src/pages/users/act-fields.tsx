import { maxReasonLength } from '../../../../src/accounts/admin/limits.ts'
import { Field, TextArea, UsernameField } from '../../parts/field.tsx'
import { exactTime } from '../../parts/time.tsx'
import { serverNow } from '../../session/server-clock.ts'
import type { User } from '../../session/session.ts'
import { type AskedAction, rolesToGive } from './rules.ts'

interface Props {
  readonly action: AskedAction
  readonly actor: User
  readonly user: User
}

/** The input fields of an act on a user. */
export function ActFields({ action, actor, user }: Props) {
  if (action === 'ban')
    return (
      <>
        {/* No maxLength: the browser would silently truncate pasted text. */}
        <TextArea
          label="Reason"
          name="reason"
          rows={3}
          hint={`At most ${maxReasonLength} characters. Administrators can read it.`}
        />
        <Field
          label="End"
          name="until"
          type="datetime-local"
          hint={`In the future; leave it empty to ban without an end. The service's clock says ${exactTime(new Date(serverNow()).toISOString())}.`}
        />
      </>
    )
  if (action === 'role')
    return (
      <fieldset className="choices">
        <legend>Role</legend>
        {rolesToGive(actor.role, user.role).map((role) => (
          <label className="check" key={role}>
            <input
              type="radio"
              name="role"
              value={role}
              defaultChecked={role === user.role}
              data-first={role === user.role || undefined}
            />
            {role}
          </label>
        ))}
      </fieldset>
    )
  if (action === 'rename')
    return <UsernameField label="New username" name="newUsername" defaultValue={user.username} autoComplete="off" />
  return null
}
