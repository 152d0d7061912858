import { type FormEvent, type ReactNode, useEffect } from 'react'
import { Site, titleOf } from '../parts/site.tsx'

interface Props {
  readonly title: string
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => unknown
  /** Called when the last failure no longer fits what the form says. */
  readonly onChange: (form: HTMLFormElement) => void
  readonly children: ReactNode
}

/** A page that makes an account for somebody who is not signed in. */
export function EntryForm({ title, onSubmit, onChange, children }: Props) {
  useEffect(() => {
    document.title = titleOf(title)
  }, [title])

  return (
    <main className="sign-in">
      <form
        onSubmit={onSubmit}
        onInput={({ currentTarget }) => onChange(currentTarget)}
        onInvalidCapture={({ currentTarget }) => onChange(currentTarget)}
      >
        <p className="brand">
          <Site />
        </p>
        <h1>{title}</h1>
        {children}
      </form>
    </main>
  )
}
