import { type FormEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import { MenagerieError } from '../../../client/src/client.ts'
import { isAboutPassword, isPasswordMissing } from '../session/password.ts'
import { onRefusal, queryClient } from '../session/queries.ts'
import { sessions } from '../session/session.ts'
import { saidOf, textOf } from './failure.tsx'
import { PasswordAgain } from './password-again.tsx'
import { showFailure } from './toasts.tsx'
import { typedIn } from './typed.ts'

interface Options {
  /** Identifies the form: if the session ends, its input is restored when the same user opens it again. */
  readonly draft?: string
  /** Whether it only asks, so that nothing may have been done if the reply was lost. */
  readonly isQuestion?: boolean
  /** Whether the service is known to ask for the password again. */
  readonly asksPassword?: boolean
}

/** What is to be done unless the form was closed meanwhile: another may be open in its place. */
type IfShown = (act: () => void) => void

/** The reply was lost, or the request: nobody knows. */
const isUnanswered = (error: unknown) => error instanceof MenagerieError && error.status === 0
const doubt = (error: unknown) =>
  new Error(`${textOf(error)} It may have been done all the same: look before you send it again.`)

/** A form that waits for longer says so. */
const slowMs = 1_500

interface Draft {
  readonly userId: string
  readonly texts: readonly (readonly [name: string, text: string])[]
}

const drafts = new Map<string, Draft>()

/** Whether something was being written when the session ended. */
export const hasDrafts = () => drafts.size > 0

/** Nothing that one user wrote is shown to the next. */
export function dropDraftsOfOthers(userId: string): void {
  for (const [key, draft] of drafts) if (draft.userId !== userId) drafts.delete(key)
}

/**
 * A form whose submission may fail: the last failure, whether a submission is in progress, or even slow, and the field
 * for the password if the service asks for it again.
 */
export function useForm(
  send: (form: FormData, ifShown: IfShown) => Promise<void>,
  { draft, isQuestion = false, asksPassword = false }: Options = {},
) {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setIsBusy] = useState(false)
  const [isSlow, setIsSlow] = useState(false)
  const [isAskedAgain, setIsAskedAgain] = useState(false)
  const needsPassword = asksPassword || isAskedAgain
  const passwordField = needsPassword && <PasswordAgain isAsked={isAskedAgain} />

  const userId = sessions.current?.user.id
  const key = draft !== undefined && userId !== undefined && `${userId} ${draft}`
  function ref(form: HTMLFormElement | null) {
    if (!form || !key) return undefined
    for (const [name, text] of drafts.get(key)?.texts ?? []) {
      const field = form.elements.namedItem(name)
      if (field && 'value' in field) field.value = text
    }
    drafts.delete(key)
    return () => {
      const texts = typedIn(form).map(({ name, value }) => [name, value] as const)
      const hasEnded = sessions.current === null && sessions.reason !== null
      if (hasEnded && texts.length > 0) drafts.set(key, { userId, texts })
    }
  }

  async function onSubmit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = event.currentTarget
    setIsBusy(true)
    const timer = setTimeout(setIsSlow, slowMs, true)
    setError(null)
    markFields(form, '')
    try {
      await send(new FormData(form), (act) => form.isConnected && act())
      form.reset()
    } catch (thrown) {
      // Only who is signed in was asked again; at the sign-in, the name may be wrong each time.
      const isWrongAgain =
        userId !== undefined && needsPassword && isAboutPassword(thrown) && !isPasswordMissing(thrown)
      const isDoubtful = isUnanswered(thrown) && !isQuestion
      const shown = isWrongAgain ? new Error('The password is wrong.') : isDoubtful ? doubt(thrown) : thrown
      // Its message must be there for the fields to refer to it.
      flushSync(() => setError(isPasswordMissing(thrown) ? null : shown))
      markFields(form, saidOf(thrown))
      if (isAboutPassword(thrown)) setIsAskedAgain(true)
      // The dialog has meanwhile been closed.
      if (!form.isConnected) showFailure(shown)
      if (isDoubtful) void queryClient.invalidateQueries()
      void onRefusal(thrown)
    } finally {
      clearTimeout(timer)
      setIsBusy(false)
      setIsSlow(false)
    }
  }

  /** The last failure no longer fits what the form says. */
  function clear(form: HTMLFormElement): void {
    setError(null)
    markFields(form, '')
  }

  return { error, isBusy, isSlow, passwordField, onSubmit, ref, clear }
}

/** Marks the fields that a failure says, as in `Username already exists` or `until must be`, until the form is sent again. */
function markFields(form: HTMLFormElement, text: string): void {
  const words = text.toLowerCase().split(/[^a-z]+/)
  const failure = form.querySelector('.failure')
  const fields = [...form.querySelectorAll<HTMLInputElement>('.field :is(input, select, textarea)')]
  const subject = fields.find((field) => text.startsWith(`${field.name} `))
  for (const field of fields) {
    const name = field.labels?.[0]?.textContent.toLowerCase().split(' ').at(-1) ?? ''
    const isNamed = subject ? field === subject : words.includes(name)
    const isWrong = isNamed && field.autocomplete !== 'current-password'
    if (isWrong) field.setAttribute('aria-invalid', 'true')
    else field.removeAttribute('aria-invalid')
    if (isWrong && failure) field.setAttribute('aria-errormessage', failure.id)
    else field.removeAttribute('aria-errormessage')
  }
}
