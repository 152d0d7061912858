import { type ComponentProps, type ReactNode, useId } from 'react'

interface Labelled {
  readonly label: string
  readonly hint?: ReactNode
}

export function Field({ label, hint, ...input }: Labelled & ComponentProps<'input'>) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input {...input} id={id} aria-describedby={hint ? `${id}-hint` : undefined} />
      {hint && (
        <p className="note" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

interface Options {
  /** Values and what they are called. */
  readonly options: readonly (readonly [value: string, label: string])[]
}

export function Select({ label, hint, options, ...select }: Labelled & Options & ComponentProps<'select'>) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select {...select} id={id} aria-describedby={hint ? `${id}-hint` : undefined}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {hint && (
        <p className="note" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
