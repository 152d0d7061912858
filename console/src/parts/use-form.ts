import { type FormEvent, useState } from 'react'

/** A form whose submission may fail: what it said, and whether it is on its way. */
export function useForm(send: (form: FormData) => Promise<void>) {
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
    } finally {
      setIsBusy(false)
    }
  }

  return { error, isBusy, onSubmit }
}
