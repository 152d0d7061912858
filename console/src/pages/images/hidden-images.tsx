import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { MenagerieError } from '../../../../client/src/client.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { DeleteHidden, showLabel } from '../../parts/delete-hidden.tsx'
import { firstPage } from '../../parts/first-page.ts'
import { HiddenPicture } from '../../parts/hidden-picture.tsx'
import { useAct } from '../../parts/use-act.ts'
import { useSession } from '../../session/session.ts'

const maxShown = 100

/** Somebody else was faster. */
function unlessShown(error: unknown): void {
  if (!(error instanceof MenagerieError && error.text === 'Image is not hidden')) throw error
}

export function useHidden(isEnabled = true) {
  const { client } = useSession()
  return useQuery({
    queryKey: ['hidden'],
    queryFn: ({ signal }) => firstPage(client.admin.hidden({ limit: maxShown, signal })),
    enabled: isEnabled,
  })
}

/** With a button that shows each again; nothing is shown if none is hidden. */
export function HiddenImages() {
  const { client } = useSession()
  const { data } = useHidden()
  const show = useAct<string>(
    [],
    (name) => client.admin.unhide({ name }),
    (name) => `${name} is no longer hidden`,
  )
  const [isShowingAll, setIsShowingAll] = useState(false)
  if (data === undefined || data.count === 0) return null
  const { count, names } = data
  return (
    <details className="notice">
      <summary>
        {count.toLocaleString('en')} hidden {count === 1 ? 'image' : 'images'}, across all kinds
      </summary>
      <ul className="hidden-images">
        {names.map((name) => (
          <HiddenImage key={name} name={name} onShow={() => show.mutate(name)} />
        ))}
      </ul>
      {names.length > 1 && (
        <button type="button" className="button" onClick={() => setIsShowingAll(true)}>
          Show these {names.length} again…
        </button>
      )}
      {isShowingAll && (
        <Confirm
          title={`Show ${names.length} images again`}
          label="Show all"
          act={async () => {
            for (const name of names) await client.admin.unhide({ name }).catch(unlessShown)
          }}
          done={`${names.length} images are shown again`}
          queryKey={[]}
          onClose={() => setIsShowingAll(false)}
        >
          Also those that were hidden because of a report.
        </Confirm>
      )}
      {count > names.length && <p className="note">The first {maxShown} are shown.</p>}
    </details>
  )
}

function HiddenImage({ name, onShow }: { readonly name: string; readonly onShow: () => void }) {
  const [isGone, setIsGone] = useState(false)
  const noteGone = () => setIsGone(true)
  return (
    <li>
      <div className="tile-picture">
        <HiddenPicture name={name} isGone={isGone} onGone={noteGone} />
      </div>
      <bdi>{name}</bdi>
      <button type="button" className="button" onClick={onShow}>
        {showLabel(isGone)}
        <span className="hidden"> {name}</span>
      </button>
      {!isGone && <DeleteHidden name={name} onDeleted={noteGone} />}
    </li>
  )
}
