import { type ComponentProps, type ReactNode, useId } from 'react'
import { isUsername } from '../../../src/accounts/username.ts'
import { usernameRule } from './username-rule.ts'

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

/** Says its rule before, and is not sent as long as it breaks it. */
export const UsernameField = (props: Omit<ComponentProps<typeof Field>, 'hint' | 'onInput'>) => (
  <Field
    {...props}
    autoCapitalize="none"
    required
    hint={usernameRule}
    onInput={({ currentTarget }) => {
      const isRight = currentTarget.value === '' || isUsername(currentTarget.value.trim())
      currentTarget.setCustomValidity(isRight ? '' : usernameRule)
    }}
  />
)

export const TextArea = ({ label, hint, ...area }: Labelled & ComponentProps<'textarea'>) => (
  <Row label={label} hint={hint}>
    {(described) => <textarea {...area} {...described} />}
  </Row>
)

type Choices = readonly (readonly [value: string, label: string])[]

interface Options {
  /** Values and their labels. */
  readonly options: Choices
  /** More of them, under the names of their groups. */
  readonly groups?: readonly (readonly [name: string, options: Choices])[]
}

const optionsOf = (choices: Choices) =>
  choices.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ))

export const Select = ({
  label,
  hint,
  options,
  groups = [],
  ...select
}: Labelled & Options & ComponentProps<'select'>) => (
  <Row label={label} hint={hint}>
    {(described) => (
      <select {...select} {...described}>
        {optionsOf(options)}
        {groups.map(([name, choices]) => (
          <optgroup key={name} label={name}>
            {optionsOf(choices)}
          </optgroup>
        ))}
      </select>
    )}
  </Row>
)
