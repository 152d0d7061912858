import { type FormEvent, useState } from 'react'
import { MenagerieError } from '../../../client/src/client.ts'
import { onRefusal, readMe } from '../session/queries.ts'

interface Options {
  /** So a 401 does not mean that the token is refused. */
  readonly hasPassword?: boolean
}

/** A form whose submission may fail: what it said, and whether it is on its way. */
export function useForm(send: (form: FormData) => Promise<void>, { hasPassword = false }: Options = {}) {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setIsBusy] = useState(false)

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
      if (hasPassword && thrown instanceof MenagerieError && thrown.status === 401) readMe()
      else onRefusal(thrown)
    } finally {
      setIsBusy(false)
    }
  }

  return { error, isBusy, onSubmit }
}
