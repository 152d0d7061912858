import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Field } from '../../parts/field.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useAct } from '../../parts/use-act.ts'
import { useSession } from '../../session/session.ts'
import { AnnounceDialog } from './announce-dialog.tsx'
import { PeriodList } from './period-list.tsx'

const namesIn = (text: string) => text.split(/[\s,]+/).filter((name) => name !== '')

export function Maintenance({ mayAct }: { readonly mayAct: boolean }) {
  const { client } = useSession()
  const [isAnnouncing, setIsAnnouncing] = useState(false)
  const list = useQuery({
    queryKey: ['status', 'maintenance'],
    queryFn: ({ signal }) => client.status.maintenance.list({ signal }),
  })
  const end = useAct(
    ['status'],
    (id: string) => client.status.maintenance.end(id),
    () => 'Maintenance ended',
  )
  return (
    <section>
      <header className="section-head">
        <h2>Maintenance</h2>
        {mayAct && (
          <button type="button" className="button" onClick={() => setIsAnnouncing(true)}>
            Announce maintenance
          </button>
        )}
      </header>
      <Loaded query={list} name="maintenance" isEmpty={({ maintenance }) => maintenance.length === 0}>
        {({ maintenance }) => (
          <PeriodList periods={maintenance} mayAct={mayAct} isBusy={end.isPending} onEnd={({ id }) => end.mutate(id)}>
            {({ components }) => <strong>{components.join(', ')}</strong>}
          </PeriodList>
        )}
      </Loaded>
      {isAnnouncing && (
        <AnnounceDialog
          title="Announce maintenance"
          needsEnd
          needsText={false}
          send={({ text, from, until = '' }, form) =>
            client.status.maintenance.announce({
              components: namesIn(String(form.get('components'))),
              until,
              ...(from !== undefined && { from }),
              ...(text !== '' && { text }),
            })
          }
          onClose={() => setIsAnnouncing(false)}
        >
          <Field label="Components" name="components" required hint="Their ids, separated by commas." />
        </AnnounceDialog>
      )}
    </section>
  )
}
