import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field, TextArea } from '../../parts/field.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.ts'
import { timeIn, timeZone } from './form-values.ts'

export interface AnnouncedPeriod {
  readonly text: string
  readonly from?: string
  readonly until?: string
}

interface Props {
  readonly title: string
  readonly needsEnd: boolean
  readonly needsText: boolean
  /** The message after it, from the form. */
  readonly done: (form: FormData) => string
  readonly send: (period: AnnouncedPeriod, form: FormData) => Promise<unknown>
  readonly onClose: () => void
  readonly children?: ReactNode
}

export function AnnounceDialog({ title, needsEnd, needsText, done, send, onClose, children }: Props) {
  const queries = useQueryClient()
  const { error, isBusy, onSubmit } = useForm(async (form) => {
    await send({ text: String(form.get('text')), ...timeIn(form, 'from'), ...timeIn(form, 'until') }, form)
    await queries.invalidateQueries({ queryKey: ['status'] })
    showToast(done(form))
    onClose()
  })
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <form onSubmit={onSubmit}>
        {children}
        <TextArea label="Text" name="text" required={needsText} hint="At most 500 characters." />
        <Field
          label="From"
          name="from"
          type="datetime-local"
          hint={`In your time zone, ${timeZone()}. Leave empty to start now.`}
        />
        <Field
          label="Until"
          name="until"
          type="datetime-local"
          required={needsEnd}
          hint={needsEnd ? undefined : 'Leave empty to end it by hand.'}
        />
        {error !== null && <Failure error={error} />}
        <ActButton type="submit" tone="main" isBusy={isBusy}>
          Announce
        </ActButton>
      </form>
    </Dialog>
  )
}
