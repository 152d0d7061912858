import type { ReactNode } from 'react'

interface Props {
  readonly id: string
  readonly refusal: string | null
  /** Where the actor finds their own. */
  readonly own: ReactNode
}

/** Why the buttons below it do nothing. */
export const RefusalNote = ({ id, refusal, own }: Props) =>
  refusal !== null && (
    <p className="note" id={id}>
      {refusal}. {own}
    </p>
  )
