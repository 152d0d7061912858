import { useOpenIncidents } from '../../session/open-work.ts'
import { openEntries } from './open-entries.tsx'

/** What the number in the navigation counts. The sections below say if something cannot be read. */
export function OpenNow() {
  const { data } = useOpenIncidents()
  const entries = data ? openEntries(data) : []
  if (entries.length === 0) return null
  return (
    <section>
      <h2>Open now</h2>
      <ul className="entries attention">
        {entries.map(({ key, content }) => (
          <li key={key}>{content}</li>
        ))}
      </ul>
    </section>
  )
}
