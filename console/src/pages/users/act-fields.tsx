import { maxReasonLength } from '../../../../src/accounts/admin/limits.ts'
import type { Role } from '../../../../src/accounts/roles.ts'
import { Field, TextArea, UsernameField } from '../../parts/field.tsx'
import { timeZone } from '../../parts/form-values.ts'
import { exactTime } from '../../parts/time.tsx'
import { serverNow } from '../../session/server-clock.ts'
import type { User } from '../../session/session.ts'
import { type AskedAction, rolesToGive } from './rules.ts'

interface Props {
  readonly action: AskedAction
  readonly actor: User
  readonly user: User
}

/** What each role adds to the one before. */
const meanings: Readonly<Record<Role, string>> = {
  user: 'Requests and reports images, and has keys and links of their own.',
  support: 'Also finds users and reads the status.',
  moderator: 'Also decides reports, and hides images.',
  admin: 'Also acts on users of lower roles, stores and deletes images, and manages the status.',
  owner: 'Also acts on administrators.',
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
          hint={`In the future, in your time zone, ${timeZone()}. Leave empty to ban without an end. The service's clock says ${exactTime(new Date(serverNow()).toISOString())}.`}
        />
      </>
    )
  if (action === 'role')
    return (
      <fieldset className="choices">
        <legend>Role</legend>
        {rolesToGive(actor.role, user.role).map((role) => (
          <div className="choice" key={role}>
            <label className="check">
              <input
                type="radio"
                name="role"
                value={role}
                defaultChecked={role === user.role}
                data-first={role === user.role || undefined}
                aria-describedby={`role-${role}`}
              />
              {role}
            </label>
            <p className="note" id={`role-${role}`}>
              {meanings[role]}
            </p>
          </div>
        ))}
      </fieldset>
    )
  if (action === 'rename')
    return <UsernameField label="New username" name="newUsername" defaultValue={user.username} autoComplete="off" />
  return null
}
