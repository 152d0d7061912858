import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { DeleteHidden, showLabel } from '../../parts/delete-hidden.tsx'
import { firstPage } from '../../parts/first-page.ts'
import { HiddenPicture } from '../../parts/hidden-picture.tsx'
import { showFailure } from '../../parts/toasts.tsx'
import { useAct } from '../../parts/use-act.ts'
import { useSession } from '../../session/session.ts'
import { unless } from './bulk.ts'
import { BulkDialog, countOf, type Named } from './bulk-dialog.tsx'
import { useSelection } from './selection.tsx'

const maxShown = 100

export function useHidden(isEnabled = true) {
  const { client } = useSession()
  return useQuery({
    queryKey: ['hidden'],
    queryFn: ({ signal }) => firstPage(client.admin.hidden({ limit: maxShown, signal })),
    enabled: isEnabled,
  })
}

/** Each is shown again or deleted, alone or with others; nothing is shown if none is hidden. */
export function HiddenImages() {
  const { client } = useSession()
  const { data } = useHidden()
  const shown = useMemo(() => data?.names.map((name) => ({ name })) ?? [], [data])
  const { selected, toggle, replace, remove, clear } = useSelection<Named>(shown, '')
  const [showing, setShowing] = useState<readonly Named[] | null>(null)
  const hide = useAct<string>(
    [],
    (name) => client.admin.hide({ name }),
    (name) => `${name} is hidden again`,
  )
  const show = useAct<{ readonly name: string; readonly isGone: boolean }>(
    [],
    ({ name }) => client.admin.unhide({ name }),
    ({ name }) => {
      remove([{ name }])
      return `${name} is no longer hidden`
    },
    ({ name, isGone }) => (isGone ? null : () => hide.mutate(name)),
  )
  if (showing === null && (data === undefined || data.count === 0)) return null
  const count = data?.count ?? 0

  async function selectAll() {
    try {
      const all: Named[] = []
      for await (const name of client.admin.hidden({ limit: 500 })) all.push({ name })
      replace(all, '')
    } catch (error) {
      showFailure(error)
    }
  }

  return (
    <details className="notice">
      <summary>
        {count.toLocaleString('en')} hidden {count === 1 ? 'image' : 'images'}, across all kinds
      </summary>
      <ul className="image-rows">
        {shown.map((image) => (
          <HiddenImage
            key={image.name}
            name={image.name}
            isSelected={selected.has(image.name)}
            onToggle={(isRange) => toggle(image, isRange)}
            onShow={(isGone) => show.mutate({ name: image.name, isGone })}
          />
        ))}
      </ul>
      {count > shown.length && <p className="note">The first {maxShown} are shown.</p>}
      <div className="actions">
        {count > 1 && selected.size < count && (
          <button type="button" className="link-button" onClick={() => void selectAll()}>
            Select all hidden
          </button>
        )}
        {selected.size > 0 && (
          <>
            <span role="status">{countOf(selected.size)} selected</span>
            <button type="button" className="link-button" onClick={clear}>
              Clear selection
            </button>
            <button
              type="button"
              className="button"
              onClick={() => setShowing([...selected.values()].map((each) => each.image))}
            >
              Show again…<span className="hidden"> the selected images</span>
            </button>
          </>
        )}
      </div>
      {showing !== null && (
        <BulkDialog
          title={`Show ${countOf(showing.length)} again`}
          images={showing}
          label="Show again"
          done="shown again"
          actOf={() => {
            const shownHere = new Set<string>()
            return {
              run: ({ name }) =>
                client.admin.unhide({ name }).then(() => shownHere.add(name), unless('Image is not hidden')),
              // What somebody else has shown stays so.
              undo: async ({ name }) => {
                if (shownHere.has(name)) await client.admin.hide({ name }).catch(unless('Image is already hidden'))
              },
            }
          }}
          onDone={(done) => {
            remove(done)
            setShowing((now) => now?.filter(({ name }) => !done.some((each) => each.name === name)) ?? null)
          }}
          onClose={() => setShowing(null)}
        >
          <p>Also those that were hidden because of a report.</p>
        </BulkDialog>
      )}
    </details>
  )
}

interface Props {
  readonly name: string
  readonly isSelected: boolean
  readonly onToggle: (isRange: boolean) => void
  readonly onShow: (isGone: boolean) => void
}

function HiddenImage({ name, isSelected, onToggle, onShow }: Props) {
  const [isGone, setIsGone] = useState(false)
  const noteGone = () => setIsGone(true)
  return (
    <li>
      <div className="tile-picture">
        <HiddenPicture name={name} isGone={isGone} onGone={noteGone} />
        <label className="tile-check">
          <input
            type="checkbox"
            aria-label={`Select ${name}`}
            checked={isSelected}
            onClick={({ shiftKey }) => onToggle(shiftKey)}
            readOnly
          />
        </label>
      </div>
      <bdi>{name}</bdi>
      <button type="button" className="button" onClick={() => onShow(isGone)}>
        {showLabel(isGone)}
        <span className="hidden"> {name}</span>
      </button>
      {!isGone && <DeleteHidden name={name} onDeleted={noteGone} />}
    </li>
  )
}
