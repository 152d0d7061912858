import { ActButton } from '../../parts/act-button.tsx'
import type { User } from '../../session/session.ts'
import { refusalOf } from './rules.ts'
import { actsOn, buttonLabel, redActs, useUserActs } from './use-user-acts.tsx'

/** The acts on a user; forbidden ones say so before the click. */
export function UserActs({ user }: { readonly user: User }) {
  const { actor, open, dialogs } = useUserActs()
  const offered = actsOn(user)
  const refused = offered.map((action) => refusalOf(action, actor, user))
  const whyAll = refused.includes(null) ? null : whyNone(actor, user)
  const reasons = [...new Set(refused.flatMap((refusal) => (refusal === null ? [] : [whyAll ?? refusal])))]
  return (
    <>
      {offered.map((action, index) => {
        const refusal = refused[index] ?? null
        return (
          // The same button before and after the act, so that it keeps the focus.
          <ActButton
            key={action === 'unban' ? 'ban' : action}
            tone={redActs.includes(action) ? 'danger' : undefined}
            isRefused={refusal !== null}
            {...(refusal !== null && {
              'aria-describedby': `refusal-${reasons.indexOf(whyAll ?? refusal)}`,
              title: refusal,
            })}
            onClick={() => open(action, user)}
          >
            {buttonLabel(action)}
          </ActButton>
        )
      })}
      {reasons.length > 0 && (
        <p className="note refusals">
          {reasons.map((reason, index) => (
            <span key={reason} id={`refusal-${index}`}>
              {reason}.{' '}
            </span>
          ))}
        </p>
      )}
      {dialogs}
    </>
  )
}

/** One sentence instead of the service's, one per act, each of which is the title of its button. */
const whyNone = (actor: User, user: User) =>
  actor.id === user.id
    ? 'These acts are for other users'
    : `Your role, ${actor.role}, does not allow acts on this user, whose role is ${user.role}`
