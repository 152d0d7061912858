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
  const tell = useRef(onChange)
  tell.current = onChange
  const told = useRef(value)
  useEffect(() => {
    // By a link or the history of the browser, not by this field.
    if (value === told.current) return
    told.current = value
    setText(value)
  }, [value])
  useEffect(() => {
    if (text === told.current) return undefined
    const timer = setTimeout(() => {
      told.current = text
      tell.current(text)
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <Field
      label={label}
      type="search"
      autoComplete="off"
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  )
}
