import { useEffect, useRef, useState } from 'react'
import { Field } from './field.tsx'

interface Props {
  readonly label: string
  readonly type?: 'search' | 'date'
  readonly hint?: string
  readonly value: string
  readonly onChange: (text: string) => void
}

const pauseMs = 250

/** While a year is typed, it begins with zeros. */
const isWhole = (text: string) => !text.startsWith('0')

/** Tells of a text or a day once it has not changed for a moment. */
export function SearchField({ label, type = 'search', hint, value, onChange }: Props) {
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
    if (text === told.current || (type === 'date' && !isWhole(text))) return undefined
    const timer = setTimeout(() => {
      told.current = text
      tell.current(text)
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [text, type])
  return (
    <Field
      label={label}
      hint={hint}
      type={type}
      autoComplete="off"
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  )
}
