import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { KeyTable } from '../../parts/key-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { RevokeKey } from '../../parts/revoke-key.tsx'
import { type User, useSession } from '../../session/session.ts'
import { RefusalNote } from './refusal-note.tsx'
import { refusalOf } from './rules.ts'

export function UserKeys({ user }: { readonly user: User }) {
  const { client, user: actor } = useSession()
  const queryKey = ['user', user.id, 'keys']
  const keys = useQuery({ queryKey, queryFn: ({ signal }) => client.admin.userKeys({ userId: user.id }, { signal }) })
  const [revoked, setRevoked] = useState<Schemas['ApiKey'] | null>(null)
  const refusal = refusalOf('revoke key', actor, user)
  return (
    <section>
      <h2>API keys</h2>
      <Loaded query={keys} name="API keys" isEmpty={({ keys }) => keys.length === 0}>
        {({ keys }) => (
          <>
            <RefusalNote
              id="key-refusal"
              refusal={refusal}
              own={actor.id === user.id && <Link to="/keys">Your keys and links</Link>}
            />
            <KeyTable keys={keys}>
              {(key) => (
                <ActButton
                  tone="danger"
                  isRefused={refusal !== null}
                  aria-describedby={refusal === null ? undefined : 'key-refusal'}
                  onClick={() => setRevoked(key)}
                >
                  Revoke<span className="hidden"> {key.name}</span>
                </ActButton>
              )}
            </KeyTable>
          </>
        )}
      </Loaded>
      {revoked && (
        <RevokeKey
          name={revoked.name}
          createdAt={revoked.createdAt}
          act={() => client.admin.revokeKey(revoked.id)}
          queryKey={['user', user.id]}
          onClose={() => setRevoked(null)}
        />
      )}
    </section>
  )
}
