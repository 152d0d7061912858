import { Menu, type MenuItem } from '../../parts/menu.tsx'
import type { User } from '../../session/session.ts'
import { refusalOf } from './rules.ts'
import { actsOn, labels, type UserActs } from './use-user-acts.tsx'

/** What the rules allow. A ban can be undone, so it asks for nothing. */
export function RowMenu({ user, acts: { actor, open, ban } }: { readonly user: User; readonly acts: UserActs }) {
  const allowed = actsOn(user).filter((action) => refusalOf(action, actor, user) === null)
  if (allowed.length === 0) return null
  const items = allowed.flatMap((action): MenuItem[] => {
    if (action === 'unban') return [{ label: labels.unban, run: () => open('unban', user) }]
    const asking = { label: `${labels[action]}…`, isFinal: action === 'delete', run: () => open(action, user) }
    if (action !== 'ban') return [asking]
    return [
      { label: labels.ban, run: () => ban(user.id) },
      { label: 'Ban with a reason or an end…', run: asking.run },
    ]
  })
  return (
    <Menu label={`Actions on ${user.username}`} items={items} isSmall>
      ⋯
    </Menu>
  )
}
