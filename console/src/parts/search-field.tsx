import { useEffect, useRef, useState } from 'react'
import { Field } from './field.tsx'

interface Props {
  readonly label: string
  readonly type?: 'search' | 'date'
  readonly hint?: string
  /** Has the focus when its page opens. */
  readonly isFirst?: boolean
  readonly value: string
  readonly onChange: (text: string) => void
  readonly onEnter?: (text: string) => void
}

const pauseMs = 250

/** A partly typed year begins with zeros. */
const isWhole = (text: string) => !text.startsWith('0')

/** Calls `onChange` once the text or day has not changed for a moment. */
export function SearchField({ label, type = 'search', hint, isFirst = false, value, onChange, onEnter }: Props) {
  const [text, setText] = useState(value)
  const tell = useRef(onChange)
  tell.current = onChange
  const told = useRef(value)
  useEffect(() => {
    // Only for changes by a link or the browser's history, not by this field.
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
      data-first={isFirst || undefined}
      type={type}
      autoComplete="off"
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={({ key, nativeEvent, currentTarget }) =>
        key === 'Enter' && !nativeEvent.isComposing && onEnter?.(currentTarget.value)
      }
    />
  )
}
