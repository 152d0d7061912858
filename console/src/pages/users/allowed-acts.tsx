import type { User } from '../../session/session.ts'
import { refusalOf } from './rules.ts'
import { actsOn, buttonLabel, redActs, type UserActs } from './use-user-acts.tsx'

interface Props {
  readonly user: User
  readonly acts: UserActs
}

/** In a list of few users: what the rules allow, each act one press away. */
export const AllowedActs = ({ user, acts: { actor, open } }: Props) =>
  actsOn(user)
    .filter((action) => refusalOf(action, actor, user) === null)
    .map((action) => (
      <button
        // The same button before and after the act, so that it keeps the focus.
        key={action === 'unban' ? 'ban' : action}
        type="button"
        className={`button is-small${redActs.includes(action) ? ' is-danger' : ''}`}
        onClick={() => open(action, user)}
      >
        {buttonLabel(action)}
        <span className="hidden"> {user.username}</span>
      </button>
    ))
