import { useId, useRef, useState } from 'react'

interface Props {
  readonly label: string
  readonly text: string
}

/** A text to copy. Where the browser gives no clipboard (plain HTTP), it is selected, for the keyboard to copy. */
export function CopyField({ label, text }: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [said, setSaid] = useState('')
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
