import type { ReactNode } from 'react'
import type { Schemas } from '../../../client/src/client.ts'
import { Time } from './time.tsx'

interface Props {
  readonly session: Schemas['ConsoleSession']
  readonly children?: ReactNode
}

export const SessionEntry = ({ session, children }: Props) => (
  <li>
    <strong>{session.browser}</strong> {session.current && <span className="badge is-info">this browser</span>}
    <p className="note">
      last used <Time at={session.lastUsedAt} />, signed in <Time at={session.createdAt} /> from {session.address}
    </p>
    {children}
  </li>
)
