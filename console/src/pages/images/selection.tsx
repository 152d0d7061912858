import { useCallback, useState } from 'react'
import type { ImageDescriptor } from '../../../../client/src/client.ts'
import { ActButton } from '../../parts/act-button.tsx'

/** The names of the images that are selected; null while images open when they are clicked. */
export function useSelection() {
  const [names, setNames] = useState<ReadonlySet<string> | null>(null)
  return {
    names,
    begin: useCallback(() => setNames(new Set()), []),
    end: useCallback(() => setNames(null), []),
    toggle: useCallback(({ name }: ImageDescriptor) => setNames((known) => known && toggled(known, name)), []),
    remove: useCallback((name: string) => setNames((known) => known && without(known, name)), []),
  }
}

const without = (names: ReadonlySet<string>, name: string) => new Set([...names].filter((each) => each !== name))
const toggled = (names: ReadonlySet<string>, name: string) =>
  names.has(name) ? without(names, name) : new Set([...names, name])

interface Props extends Pick<ReturnType<typeof useSelection>, 'names' | 'begin' | 'end'> {
  readonly onDescribe: () => void
}

/** What can be done with several images. */
export function Selection({ names, begin, end, onDescribe }: Props) {
  if (names === null)
    return (
      <div className="selection">
        <button type="button" className="button" onClick={begin}>
          Select images
        </button>
      </div>
    )
  return (
    <div className="selection">
      <p role="status">{names.size === 0 ? 'Choose images by their names.' : `${names.size} selected`}</p>
      <ActButton isRefused={names.size === 0} onClick={onDescribe}>
        Describe selected
      </ActButton>
      <button type="button" className="button" onClick={end}>
        End selection
      </button>
    </div>
  )
}
