import { useEffect, useRef, useState } from 'react'
import { Field } from './field.tsx'

interface Props {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
}

const pauseMs = 250

/** Tells of a text once it has not changed for a moment. */
export function SearchField({ label, value, onChange }: Props) {
  const [text, setText] = useState(value)
  const told = useRef(onChange)
  told.current = onChange
  useEffect(() => {
    if (text === value) return undefined
    const timer = setTimeout(() => told.current(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text, value])
  return <Field label={label} type="search" value={text} onChange={(event) => setText(event.currentTarget.value)} />
}
