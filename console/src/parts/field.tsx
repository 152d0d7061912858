import { type ComponentProps, type ReactNode, useId } from 'react'

interface Labelled {
  readonly label: string
  readonly hint?: ReactNode
}

interface RowProps extends Labelled {
  readonly children: (described: { readonly id: string; readonly 'aria-describedby': string | undefined }) => ReactNode
}

function Row({ label, hint, children }: RowProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': hint ? `${id}-hint` : undefined })}
      {hint && (
        <p className="note" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

export const Field = ({ label, hint, ...input }: Labelled & ComponentProps<'input'>) => (
  <Row label={label} hint={hint}>
    {(described) => <input {...input} {...described} />}
  </Row>
)

export const TextArea = ({ label, hint, ...area }: Labelled & ComponentProps<'textarea'>) => (
  <Row label={label} hint={hint}>
    {(described) => <textarea {...area} {...described} />}
  </Row>
)

interface Options {
  /** Values and their labels. */
  readonly options: readonly (readonly [value: string, label: string])[]
}

export const Select = ({ label, hint, options, ...select }: Labelled & Options & ComponentProps<'select'>) => (
  <Row label={label} hint={hint}>
    {(described) => (
      <select {...select} {...described}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Row>
)
