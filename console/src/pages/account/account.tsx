import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { whatIsLimited } from '../../../../src/limits/scopes.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useMe } from '../../session/me.ts'
import { serverNow } from '../../session/server-clock.ts'
import { ChangePassword } from './change-password.tsx'
import { DeleteAccount } from './delete-account.tsx'

const names: Readonly<Record<string, string>> = whatIsLimited
const nameOf = (scope: string) => names[scope]?.replaceAll('`', '') ?? scope

export function Account() {
  const me = useMe()
  return (
    <Page title="Account">
      <Loaded query={me} name="account">
        {({ user, token }) => (
          <dl className="facts">
            <div>
              <dt>Username</dt>
              <dd dir="auto">{user.username}</dd>
            </div>
            <div>
              <dt>Role</dt>
              <dd>{user.role}</dd>
            </div>
            <div>
              <dt>Id</dt>
              <dd>
                <code>{user.id}</code>
              </dd>
            </div>
            {token?.expiresAt && (
              <div>
                <dt>Signed in until</dt>
                <dd>
                  <Time at={token.expiresAt} />
                </dd>
              </div>
            )}
          </dl>
        )}
      </Loaded>
      <section>
        <Link className="button" to="/sessions">
          Where you are signed in
        </Link>
      </section>
      <section>
        <h2>Change password</h2>
        <ChangePassword />
      </section>
      {me.data?.limits && <Limits limits={me.data.limits} />}
      <section>
        <h2>Delete account</h2>
        <DeleteAccount />
      </section>
    </Page>
  )
}

type Limit = NonNullable<NonNullable<ReturnType<typeof useMe>['data']>['limits']>[number]

const isOver = ({ resetAt }: Limit) => resetAt !== null && Date.parse(resetAt) <= serverNow()

/** Asks nothing when a limit is whole again: each request counts in it. */
function Limits({ limits }: { readonly limits: readonly Limit[] }) {
  const [, refresh] = useState(0)
  const waiting = limits.flatMap((each) => (each.resetAt === null || isOver(each) ? [] : [Date.parse(each.resetAt)]))
  const nextReset = Math.min(...waiting)
  useEffect(() => {
    if (nextReset === Infinity) return
    const timer = setTimeout(() => refresh((count) => count + 1), Math.max(100, nextReset - serverNow()))
    return () => clearTimeout(timer)
  })
  return (
    <section>
      <h2>Limits</h2>
      <p className="note">When a limit is used up, what counts towards it is refused (429) until the time beside it.</p>
      <dl className="facts">
        {limits.map((each) => (
          <div key={each.scope}>
            <dt>{nameOf(each.scope)}</dt>
            <dd>
              {(isOver(each) ? each.limit : each.remaining).toLocaleString('en')} of {each.limit.toLocaleString('en')}{' '}
              left
              {each.resetAt !== null && !isOver(each) && (
                <>
                  , reset <Time at={each.resetAt} />
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
