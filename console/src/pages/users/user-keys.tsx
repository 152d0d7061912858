import { useQuery } from '@tanstack/react-query'
import { KeyTable } from '../../parts/key-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useAct } from '../../parts/use-act.ts'
import { type User, useSession } from '../../session/session.ts'
import { refusalOf } from './rules.ts'

export function UserKeys({ user }: { readonly user: User }) {
  const { client, user: actor } = useSession()
  const queryKey = ['user', user.id, 'keys']
  const keys = useQuery({ queryKey, queryFn: ({ signal }) => client.admin.userKeys({ userId: user.id }, { signal }) })
  const revoke = useAct(
    queryKey,
    (id: string) => client.admin.revokeKey(id),
    () => 'API key revoked',
  )
  return (
    <section>
      <h2>API keys</h2>
      <Loaded query={keys} name="API keys" isEmpty={({ keys }) => keys.length === 0}>
        {({ keys }) => (
          <KeyTable keys={keys}>
            {({ id, name }) =>
              refusalOf('sign out', actor, user) === null && (
                <button
                  type="button"
                  className="button is-danger"
                  disabled={revoke.isPending}
                  onClick={() => revoke.mutate(id)}
                >
                  Revoke<span className="hidden"> {name}</span>
                </button>
              )
            }
          </KeyTable>
        )}
      </Loaded>
    </section>
  )
}
