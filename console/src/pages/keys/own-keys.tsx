import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { KeyTable } from '../../parts/key-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { RevokeKey } from '../../parts/revoke-key.tsx'
import { useShowSecret } from '../../parts/use-show-secret.ts'
import { useSession } from '../../session/session.ts'
import { CreateKey } from './create-key.tsx'
import { RotateKey } from './rotate-key.tsx'

type Opened =
  | { readonly act: 'create' }
  | { readonly act: 'rotate' | 'revoke'; readonly id: string; readonly name: string; readonly createdAt: string }

export function OwnKeys() {
  const { client } = useSession()
  const queries = useQueryClient()
  const queryKey = ['keys']
  const keys = useQuery({ queryKey, queryFn: ({ signal }) => client.auth.keys.list({ signal }), staleTime: 60_000 })
  const [opened, setOpened] = useState<Opened | null>(null)
  const showSecret = useShowSecret()
  const close = () => setOpened(null)
  function show({ name, key }: { readonly name: string; readonly key: string }): void {
    const note = 'A program sends it in the header X-API-Key, or after “Bearer ” in the header Authorization.'
    showSecret({ title: `API key: ${name}`, label: 'Key', secret: key, note })
    void queries.invalidateQueries({ queryKey })
  }
  return (
    <section>
      <header className="section-head">
        <h2>API keys</h2>
        <button type="button" className="button is-main" onClick={() => setOpened({ act: 'create' })}>
          Create key
        </button>
      </header>
      <Loaded query={keys} name="API keys" isEmpty={({ keys }) => keys.length === 0}>
        {({ keys }) => (
          <KeyTable keys={keys}>
            {({ id, name, createdAt }) => (
              <div className="actions">
                <button
                  type="button"
                  className="button"
                  onClick={() => setOpened({ act: 'rotate', id, name, createdAt })}
                >
                  Rotate<span className="hidden"> {name}</span>
                </button>
                <button
                  type="button"
                  className="button is-danger"
                  onClick={() => setOpened({ act: 'revoke', id, name, createdAt })}
                >
                  Revoke<span className="hidden"> {name}</span>
                </button>
              </div>
            )}
          </KeyTable>
        )}
      </Loaded>
      {opened?.act === 'revoke' ? (
        <RevokeKey
          name={opened.name}
          createdAt={opened.createdAt}
          act={() => client.auth.keys.revoke(opened.id)}
          queryKey={queryKey}
          onClose={close}
        />
      ) : (
        opened && (
          <Dialog
            title={opened.act === 'create' ? 'Create key' : `Rotate key: ${opened.name}`}
            description={opened.act === 'rotate' && <p>The key gets a new secret. Its name, scopes and limits stay.</p>}
            isOpen
            onClose={close}
          >
            {opened.act === 'create' ? (
              <CreateKey onMade={show} onClose={close} />
            ) : (
              <RotateKey id={opened.id} onMade={show} onClose={close} />
            )}
          </Dialog>
        )
      )}
    </section>
  )
}
