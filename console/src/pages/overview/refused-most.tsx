import { whatIsLimited } from '../../../../src/limits/scopes.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { useService } from '../../session/service.ts'

const maxShown = 8

export function RefusedMost() {
  const service = useService()
  return (
    <section>
      <h2>Limits that refused most</h2>
      <Loaded query={service} name="limits">
        {({ limits, instance, version, uptimeSeconds }) => {
          const refusing = limits.filter(({ refused }) => refused > 0).sort((one, other) => other.refused - one.refused)
          return (
            <>
              {refusing.length === 0 && <p className="empty">No limit refused a request.</p>}
              <dl className="facts">
                {refusing.slice(0, maxShown).map(({ scope, refused }) => (
                  <div key={scope}>
                    <dt>{whatIsLimited[scope].replaceAll('`', '')}</dt>
                    <dd>{refused.toLocaleString('en')}</dd>
                  </div>
                ))}
              </dl>
              <p className="note">
                Counted by {instance} (version {version}) in the {lengthOf(uptimeSeconds)} since its start.
              </p>
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

function lengthOf(seconds: number): string {
  const [count, unit] = seconds < 7_200 ? [seconds / 60, 'minutes'] : [seconds / 3_600, 'hours']
  return count < 2 ? 'first minutes' : `${Math.floor(count).toLocaleString('en')} ${unit}`
}
