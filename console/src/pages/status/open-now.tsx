import type { Schemas } from '../../../../client/src/client.ts'
import { Time } from '../../parts/time.tsx'
import { useOpenIncidents } from '../../session/open-work.ts'
import { serverNow } from '../../session/server-clock.ts'
import { Acknowledge, AcknowledgeEffect, isAcknowledgeable } from './acknowledge.tsx'
import { openEntries } from './open-entries.tsx'
import { useShown } from './readers.tsx'

/** What the number in the navigation counts. The sections below say if something cannot be read. */
export function OpenNow({ mayAct }: { readonly mayAct: boolean }) {
  const { data, error, dataUpdatedAt } = useOpenIncidents()
  const actOn = (component: Schemas['Component']) =>
    mayAct &&
    isAcknowledgeable(component) && (
      <div className="actions">
        <Acknowledge component={component} isOfList />
      </div>
    )
  const shown = useShown().data ?? []
  const entries = data ? openEntries(data, actOn, shown) : []
  const waiting = data ? [...data.known.values()].filter(isAcknowledgeable) : []
  if (entries.length === 0) return null
  return (
    <section>
      <h2>Open now</h2>
      {error && (
        <p className="note">
          This was read <Time at={new Date(serverNow() - Date.now() + dataUpdatedAt).toISOString()} />, and cannot be
          read again now.
        </p>
      )}
      <ul className="entries attention">
        {entries.map(({ key, content }) => (
          <li key={key}>{content}</li>
        ))}
      </ul>
      {mayAct && waiting.length > 0 && <AcknowledgeEffect components={waiting} />}
    </section>
  )
}
