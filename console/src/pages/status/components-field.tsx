import { useEffect, useRef, useState } from 'react'
import { Field } from '../../parts/field.tsx'
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
  const [text, setText] = useState('')
  const value = useRef<HTMLInputElement>(null)
  const group = useRef<HTMLFieldSetElement>(null)
  const all = useComponents()
  // A form that is opened again has restored it meanwhile.
  useEffect(() => setChosen(idsIn(value.current?.value ?? '')), [])
  useEffect(() => {
    const field = group.current?.querySelector('input[type=search]') as HTMLInputElement
    field.setCustomValidity(isRequired && chosen.length === 0 ? 'Choose at least one component.' : '')
  }, [isRequired, chosen])

  const known = all.data?.components.map(({ componentId }) => componentId) ?? []
  const typed = text.trim()
  const found = known.filter((id) => !chosen.includes(id) && id.toLowerCase().includes(typed.toLowerCase()))
  const isNew = typed !== '' && !known.includes(typed) && !chosen.includes(typed)
  const offered = [...(isNew ? [typed] : []), ...found]

  function choose(next: readonly string[]) {
    setChosen(next)
    if (value.current) value.current.value = next.join(', ')
  }
  const option = (id: string, isChosen: boolean) => (
    <label className="check" key={id}>
      <input
        type="checkbox"
        checked={isChosen}
        onChange={() => {
          choose(isChosen ? chosen.filter((each) => each !== id) : [...chosen, id])
          if (id === typed) setText('')
        }}
      />
      <span>
        {id}
        {!known.includes(id) && all.data && <span className="note"> has not reported yet</span>}
      </span>
    </label>
  )
  return (
    <fieldset ref={group}>
      <legend>Components</legend>
      <input type="text" name="components" hidden ref={value} defaultValue={initial.join(', ')} />
      <Field
        label="Find a component"
        hint={hint}
        type="search"
        autoComplete="off"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <div className="choices is-list">
        {chosen.map((id) => option(id, true))}
        {offered.slice(0, maxShown).map((id) => option(id, false))}
      </div>
      {offered.length > maxShown && <p className="note">{offered.length - maxShown} more: type a part of their ids.</p>}
    </fieldset>
  )
}

export const componentsIn = (form: FormData): string[] => idsIn(String(form.get('components') ?? ''))
