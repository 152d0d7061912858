import { useEffect, useId, useRef, useState } from 'react'

interface Props {
  readonly label: string
  readonly text: string
  /** It replaces the form that created it, and takes the focus. */
  readonly isNew?: boolean
}

/** Backwards, so that its beginning stays in view. */
const select = (field: HTMLInputElement | null) => field?.setSelectionRange(0, field.value.length, 'backward')

/** A text to copy. If the browser offers no clipboard (plain HTTP), it is selected for copying by keyboard. */
export function CopyField({ label, text, isNew = false }: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (isNew) input.current?.focus()
  }, [isNew])
  async function copy(): Promise<void> {
    select(input.current)
    try {
      await navigator.clipboard.writeText(text)
      setSaid('Copied')
    } catch {
      setSaid('Press Ctrl+C')
    }
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="copy">
        <input id={id} ref={input} readOnly value={text} onFocus={(event) => select(event.currentTarget)} />
        <button type="button" className="button" onClick={() => void copy()}>
          Copy<span className="hidden"> {label}</span>
        </button>
      </div>
      <p className="note" role="status">
        {said}
      </p>
    </div>
  )
}
