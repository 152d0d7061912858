import { useEffect, useRef, useState } from 'react'
import { Field } from '../../parts/field.tsx'
import { Readers } from './readers.tsx'
import { useComponents } from './use-components.ts'

interface Props {
  readonly initial?: readonly string[]
  readonly isRequired?: boolean
  readonly hint?: string
}

const maxShown = 30
const idsIn = (text: string) => text.split(/[\s,]+/).filter((id) => id !== '')

/** Components picked from the list of all, and others by their ids, such as those that have not reported yet. */
export function ComponentsField({ initial = [], isRequired = false, hint }: Props) {
  const [chosen, setChosen] = useState(initial)
  /** Those at the top: chosen before the list was last searched. What is chosen in the list stays in its place. */
  const [first, setFirst] = useState(initial)
  const [text, setText] = useState('')
  const value = useRef<HTMLInputElement>(null)
  const all = useComponents()
  const search = useRef<HTMLInputElement>(null)
  // A form that is opened again has restored them meanwhile.
  useEffect(() => {
    const restored = idsIn(value.current?.value ?? '')
    setChosen(restored)
    setFirst(restored)
    setText(search.current?.value ?? '')
  }, [])
  const known = all.data?.components.map(({ componentId }) => componentId) ?? []
  const inMaintenance = (all.data?.components ?? [])
    .filter(({ maintenanceId }) => maintenanceId !== null)
    .map(({ componentId }) => componentId)
  const typed = idsIn(text)
  const isFound = (id: string) =>
    typed.length === 0 || typed.some((part) => id.toLowerCase().includes(part.toLowerCase()))
  const found = known.filter((id) => !chosen.includes(id) && isFound(id))
  const others = typed.filter((id) => !known.includes(id) && !chosen.includes(id))
  const offered = [...found.slice(0, maxShown), ...others]
  const shown = [...new Set([...first, ...known, ...chosen, ...others])].filter(
    (id) => chosen.includes(id) || offered.includes(id),
  )

  useEffect(() => {
    const isMissing = isRequired && chosen.length === 0 && typed.length === 0
    // What is a part of several ids, or of none, would be lost without a word.
    const isPending = typed.some((id) => !known.includes(id))
    search.current?.setCustomValidity(
      isMissing ? 'Choose at least one component.' : isPending ? 'Choose it with Enter, or clear the field.' : '',
    )
  })

  function choose(next: readonly string[]) {
    setChosen(next)
    if (text !== '') setFirst(next)
    if (value.current) value.current.value = next.join(', ')
  }
  const option = (id: string, isChosen: boolean) => (
    <label className="check" key={id}>
      <input
        type="checkbox"
        checked={isChosen}
        onChange={() => {
          choose(isChosen ? chosen.filter((each) => each !== id) : [...chosen, id])
          if (!isChosen) setText('')
        }}
      />
      <span>
        {id}
        {!known.includes(id) && all.data && <span className="note"> has not reported yet</span>}
        {inMaintenance.includes(id) && <span className="note"> is in maintenance now</span>}
      </span>
    </label>
  )
  return (
    <fieldset>
      <legend>Components</legend>
      <input type="text" name="components" hidden ref={value} defaultValue={initial.join(', ')} />
      <Field
        label="Find a component"
        hint={hint}
        type="search"
        name="typedComponents"
        ref={search}
        autoComplete="off"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || typed.length === 0) return
          event.preventDefault()
          const [first] = offered
          if (first !== undefined) choose([...chosen, first])
          setText('')
        }}
      />
      <div className="choices is-list">{shown.map((id) => option(id, chosen.includes(id)))}</div>
      {found.length > maxShown && <p className="note">{found.length - maxShown} more: type a part of their ids.</p>}
      {(!isRequired || chosen.length > 0) && <Readers components={chosen} />}
    </fieldset>
  )
}

/** The chosen ones, and those whose whole ids stand in the field. */
export const componentsIn = (form: FormData): string[] => [
  ...new Set(['components', 'typedComponents'].flatMap((name) => idsIn(String(form.get(name) ?? '')))),
]
