import { useQuery } from '@tanstack/react-query'
import { firstPage } from '../../parts/first-page.ts'
import { HiddenPicture } from '../../parts/hidden-picture.tsx'
import { useAct } from '../../parts/use-act.ts'
import { useSession } from '../../session/session.ts'

const maxShown = 100

/** With a button that shows each again; nothing is shown if none is hidden. */
export function HiddenImages() {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['hidden'],
    queryFn: ({ signal }) => firstPage(client.admin.hidden({ limit: maxShown, signal })),
  })
  const show = useAct<string>(
    [],
    (name) => client.admin.unhide({ name }),
    (name) => `${name} is shown again`,
  )
  if (data === undefined || data.count === 0) return null
  const { count, names } = data
  return (
    <details className="notice">
      <summary>
        {count.toLocaleString('en')} {count === 1 ? 'image is' : 'images are'} hidden, of all kinds together
      </summary>
      <ul className="hidden-images">
        {names.map((name) => (
          <li key={name}>
            <div className="tile-picture">
              <HiddenPicture name={name} />
            </div>
            <bdi>{name}</bdi>
            <button type="button" className="button" onClick={() => show.mutate(name)}>
              Show again<span className="hidden"> {name}</span>
            </button>
          </li>
        ))}
      </ul>
      {count > names.length && <p className="note">The first {maxShown} are shown.</p>}
    </details>
  )
}
