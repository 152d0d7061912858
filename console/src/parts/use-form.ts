import { type FormEvent, useState } from 'react'
import { MenagerieError } from '../../../client/src/client.ts'
import { onRefusal, readMe } from '../session/queries.ts'
import { sessions } from '../session/session.ts'
import { showFailure } from './toasts.tsx'

interface Options {
  /** If so, a 401 may be about the password rather than the token. */
  readonly hasPassword?: boolean
  /** Identifies the form: if the session ends, its input is restored when the same user opens it again. */
  readonly draft?: string
}

const drafts = new Map<string, FormData>()

/** A form whose submission may fail: the last failure, and whether a submission is in progress. */
export function useForm(send: (form: FormData) => Promise<void>, { hasPassword = false, draft }: Options = {}) {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setIsBusy] = useState(false)

  const key = draft !== undefined && `${sessions.current?.user.id} ${draft}`
  function ref(form: HTMLFormElement | null) {
    if (!form || !key) return undefined
    for (const [name, value] of drafts.get(key) ?? []) {
      const field = form.elements.namedItem(name)
      if (field && 'value' in field) field.value = value as string
    }
    drafts.delete(key)
    return () => {
      if (!sessions.current) drafts.set(key, new FormData(form))
    }
  }

  async function onSubmit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    setIsBusy(true)
    setError(null)
    try {
      await send(new FormData(form))
      form.reset()
    } catch (thrown) {
      setError(thrown)
      // The dialog has meanwhile been closed.
      if (!form.isConnected) showFailure(thrown)
      if (hasPassword && thrown instanceof MenagerieError && thrown.status === 401) readMe()
      else onRefusal(thrown)
    } finally {
      setIsBusy(false)
    }
  }

  return { error, isBusy, onSubmit, ref }
}
