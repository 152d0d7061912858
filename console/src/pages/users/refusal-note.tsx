import { Link } from '@tanstack/react-router'

interface Props {
  readonly id: string
  readonly refusal: string | null
  /** Of the actor's own keys or links. */
  readonly isOwn: boolean
}

/** Why the buttons below it do nothing. */
export const RefusalNote = ({ id, refusal, isOwn }: Props) =>
  refusal !== null && (
    <p className="note" id={id}>
      {refusal}. {isOwn && <Link to="/keys">Your keys and links</Link>}
    </p>
  )
