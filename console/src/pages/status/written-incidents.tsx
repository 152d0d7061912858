import { useInfiniteQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { firstPage } from '../../parts/first-page.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { ShowOlder } from '../../parts/show-older.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { useSession } from '../../session/session.ts'
import { OpenIncident } from './open-incident.tsx'
import { UpdateIncident } from './update-incident.tsx'

type Incident = Schemas['WrittenIncident']

const nameOf = ({ byHand, components }: Incident) => byHand?.title ?? components.join(', ')

/** What people wrote about incidents, which everybody can read. */
export function WrittenIncidents({ mayAct }: { readonly mayAct: boolean }) {
  const { client } = useSession()
  const [isOpening, setIsOpening] = useState(false)
  const [updated, setUpdated] = useState<{ readonly incident: Incident; readonly isResolving: boolean } | null>(null)
  const [deleted, setDeleted] = useState<Incident | null>(null)
  const incidents = useInfiniteQuery({
    queryKey: ['status', 'written'],
    queryFn: ({ signal, pageParam }) => firstPage(client.status.writtenIncidents({ cursor: pageParam, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap((page) => page.incidents),
  })
  useLinkedEntry(incidents.data !== undefined)
  return (
    <section>
      <header className="section-head">
        <h2>Written incidents</h2>
        {mayAct && (
          <button type="button" className="button" onClick={() => setIsOpening(true)}>
            Open an incident
          </button>
        )}
      </header>
      <Loaded
        query={incidents}
        name="written incidents"
        isEmpty={(all) => all.length === 0}
        empty="Nobody has written about an incident. Silent components are under “Missed heartbeats”."
      >
        {(all) => (
          <ul className="entries">
            {all.map((incident) => (
              <li key={incident.id} id={incident.id}>
                <Heading incident={incident} />
                <Updates incident={incident} />
                {mayAct && (
                  <div className="actions">
                    <button
                      type="button"
                      className="button"
                      onClick={() => setUpdated({ incident, isResolving: false })}
                    >
                      {incident.byHand?.resolvedAt ? 'Write a postmortem' : 'Write an update'}
                      <span className="hidden"> of {nameOf(incident)}</span>
                    </button>
                    {incident.byHand?.resolvedAt === null && (
                      <button
                        type="button"
                        className="button"
                        onClick={() => setUpdated({ incident, isResolving: true })}
                      >
                        Resolve<span className="hidden"> {nameOf(incident)}</span>
                      </button>
                    )}
                    <button type="button" className="button" onClick={() => setDeleted(incident)}>
                      Delete…<span className="hidden"> {nameOf(incident)}</span>
                    </button>
                  </div>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <ShowOlder query={incidents} />
      {isOpening && <OpenIncident onClose={() => setIsOpening(false)} />}
      {updated && (
        <UpdateIncident
          id={updated.incident.id}
          name={nameOf(updated.incident)}
          byHand={updated.incident.byHand}
          components={updated.incident.components}
          isResolved={updated.incident.byHand ? updated.incident.byHand.resolvedAt !== null : null}
          isResolving={updated.isResolving}
          onClose={() => setUpdated(null)}
        />
      )}
      {deleted && (
        <Confirm
          title={`Delete ${nameOf(deleted)}`}
          label="Delete"
          act={() => client.status.deleteIncident(deleted.id)}
          done={`Deleted: ${nameOf(deleted)}`}
          queryKey={['status']}
          onClose={() => setDeleted(null)}
        >
          {deleted.byHand ? (
            <>
              “<bdi>{deleted.byHand.title}</bdi>” disappears from the status page, its feed and JSON within 10 seconds,
              and cannot be restored.
            </>
          ) : (
            'What was written about it is deleted, and cannot be restored. The missed heartbeat itself stays listed.'
          )}
        </Confirm>
      )}
    </section>
  )
}

/** Shows the incident that the address names, again at each click of its link. */
function useLinkedEntry(isRead: boolean): void {
  const { hash, state } = useLocation()
  useEffect(() => {
    if (hash === '' || !isRead) return undefined
    // After the page has given its title the focus.
    const timer = setTimeout(() => {
      const entry = document.getElementById(hash)
      if (!entry) return
      entry.tabIndex = -1
      entry.focus({ preventScroll: true })
      entry.scrollIntoView({ block: 'center' })
    })
    return () => clearTimeout(timer)
  }, [hash, state.__TSR_key, isRead])
}

function Heading({ incident }: { readonly incident: Incident }) {
  const { byHand, components } = incident
  return (
    <>
      <strong dir="auto">{nameOf(incident)}</strong>{' '}
      {byHand ? (
        <>
          {byHand.resolvedAt === null ? (
            <StatusBadge status={byHand.level} />
          ) : (
            <span className="badge">{byHand.level}</span>
          )}{' '}
          <span className="badge">{byHand.resolvedAt === null ? 'open' : 'resolved'}</span>
        </>
      ) : (
        <span className="badge">missed heartbeats</span>
      )}
      {byHand && (
        <p className="note">
          {components.length > 0 ? components.join(', ') : 'The service as a whole'}, since{' '}
          <Time at={byHand.startedAt} />
          {byHand.resolvedAt !== null && (
            <>
              , resolved <Time at={byHand.resolvedAt} />
            </>
          )}
        </p>
      )}
    </>
  )
}

/** Newest first, as on the public page. */
const Updates = ({ incident: { updates } }: { readonly incident: Incident }) => (
  <ul className="deliveries">
    {updates.toReversed().map(({ id, at, stage, text }) => (
      <li key={id}>
        <strong>{stage}</strong>{' '}
        <span className="note">
          <Time at={at} />
        </span>
        <p className="text" dir="auto">
          {text}
        </p>
      </li>
    ))}
  </ul>
)
