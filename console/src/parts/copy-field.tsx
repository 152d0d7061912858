import { useEffect, useId, useRef, useState } from 'react'

interface Props {
  readonly label: string
  readonly text: string
  /** It takes the place of the form that made it, and the focus. */
  readonly isNew?: boolean
}

/** A text to copy. Where the browser gives no clipboard (plain HTTP), it is selected, for the keyboard to copy. */
export function CopyField({ label, text, isNew = false }: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (isNew) input.current?.focus()
  }, [isNew])
  async function copy(): Promise<void> {
    input.current?.select()
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
        <input id={id} ref={input} readOnly value={text} onFocus={(event) => event.currentTarget.select()} />
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
