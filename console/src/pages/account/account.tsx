import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
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
      <p>
        <Link to="/sessions">Where you are signed in</Link>
      </p>
      <section>
        <h2>Change password</h2>
        <ChangePassword />
      </section>
      {me.data?.limits && <Limits limits={me.data.limits} onReset={me.refetch} />}
      <section>
        <h2>Delete account</h2>
        <DeleteAccount />
      </section>
    </Page>
  )
}

interface LimitsProps {
  readonly limits: NonNullable<NonNullable<ReturnType<typeof useMe>['data']>['limits']>
  /** What is shown is then out of date. */
  readonly onReset: () => unknown
}

function Limits({ limits, onReset }: LimitsProps) {
  const nextReset = Math.min(...limits.map(({ resetAt }) => (resetAt === null ? Infinity : Date.parse(resetAt))))
  useEffect(() => {
    if (nextReset === Infinity) return
    const timer = setTimeout(onReset, Math.max(1_000, nextReset - serverNow()))
    return () => clearTimeout(timer)
  }, [nextReset, onReset])
  return (
    <section>
      <h2>Limits</h2>
      <dl className="facts">
        {limits.map(({ scope, limit, remaining, resetAt }) => (
          <div key={scope}>
            <dt>{nameOf(scope)}</dt>
            <dd>
              {remaining.toLocaleString('en')} of {limit.toLocaleString('en')} left
              {resetAt !== null && (
                <>
                  , all again <Time at={resetAt} />
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
