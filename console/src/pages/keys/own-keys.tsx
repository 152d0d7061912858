import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { CopyField } from '../../parts/copy-field.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { KeyTable } from '../../parts/key-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useAct } from '../../parts/use-act.ts'
import { useSession } from '../../session/session.ts'
import { CreateKey } from './create-key.tsx'
import { RotateKey } from './rotate-key.tsx'

interface NewSecret {
  readonly name: string
  readonly key: string
}

export function OwnKeys() {
  const { client } = useSession()
  const queries = useQueryClient()
  const keys = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => client.auth.keys.list({ signal }),
    staleTime: 60_000,
  })
  const [isCreating, setIsCreating] = useState(false)
  const [rotated, setRotated] = useState<{ readonly id: string; readonly name: string } | null>(null)
  const [secret, setSecret] = useState<NewSecret | null>(null)
  const revoke = useAct(
    ['keys'],
    (id: string) => client.auth.keys.revoke(id),
    () => 'API key revoked',
  )
  function show(made: NewSecret): void {
    setIsCreating(false)
    setRotated(null)
    setSecret(made)
    void queries.invalidateQueries({ queryKey: ['keys'] })
  }
  return (
    <section>
      <header className="section-head">
        <h2>API keys</h2>
        <button type="button" className="button is-main" onClick={() => setIsCreating(true)}>
          Create key
        </button>
      </header>
      <Loaded query={keys} name="API keys" isEmpty={({ keys }) => keys.length === 0}>
        {({ keys }) => (
          <KeyTable keys={keys}>
            {({ id, name }) => (
              <div className="actions">
                <button type="button" className="button" onClick={() => setRotated({ id, name })}>
                  Rotate<span className="hidden"> {name}</span>
                </button>
                <button
                  type="button"
                  className="button is-danger"
                  disabled={revoke.isPending}
                  onClick={() => revoke.mutate(id)}
                >
                  Revoke<span className="hidden"> {name}</span>
                </button>
              </div>
            )}
          </KeyTable>
        )}
      </Loaded>
      {isCreating && <CreateKey onMade={show} onClose={() => setIsCreating(false)} />}
      {rotated && <RotateKey {...rotated} onMade={show} onClose={() => setRotated(null)} />}
      {secret && (
        <Dialog
          title={`API key: ${secret.name}`}
          description={<p>Copy it now: it is not shown again.</p>}
          isOpen
          onClose={() => setSecret(null)}
        >
          <CopyField label="Key" text={secret.key} />
        </Dialog>
      )}
    </section>
  )
}
