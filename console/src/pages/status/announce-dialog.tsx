import { useQueryClient } from '@tanstack/react-query'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field, TextArea } from '../../parts/field.tsx'
import { inTimeZone, timeIn } from '../../parts/form-values.ts'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.ts'
import { useSession } from '../../session/session.ts'
import { Readers, useReaders } from './readers.tsx'

export function AnnounceDialog({ onClose }: { readonly onClose: () => void }) {
  const { client } = useSession()
  const queries = useQueryClient()
  const readersOf = useReaders()
  const { error, isBusy, onSubmit, ref } = useForm(
    async (form) => {
      const text = String(form.get('text'))
      await client.status.announcements.announce({ text, ...timeIn(form, 'from'), ...timeIn(form, 'until') })
      await queries.invalidateQueries({ queryKey: ['status'] })
      showToast(`Announcement published. ${readersOf([])}`.trim())
      onClose()
    },
    { draft: 'announcement' },
  )
  return (
    <Dialog title="New announcement" isOpen onClose={onClose}>
      <form onSubmit={onSubmit} ref={ref}>
        <Readers components={[]} />
        <TextArea label="Text" name="text" required hint="Plain text of at most 500 characters." />
        <Field label="From" name="from" type="datetime-local" hint={`${inTimeZone()} Leave empty to start now.`} />
        <Field
          label="Until"
          name="until"
          type="datetime-local"
          hint={`${inTimeZone()} Leave empty to end it by hand.`}
        />
        {error !== null && <Failure error={error} />}
        <ActButton type="submit" tone="main" isBusy={isBusy}>
          Announce
        </ActButton>
      </form>
    </Dialog>
  )
}
