import { useQueryClient } from '@tanstack/react-query'
import type { Schemas } from '../../../../client/src/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field, TextArea } from '../../parts/field.tsx'
import { fieldTime, inTimeZone, timeIn } from '../../parts/form-values.ts'
import { showFailure, showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.tsx'
import { useSession } from '../../session/session.ts'
import { Readers, useReaders } from './readers.tsx'

export type Announcement = Schemas['Announcement']

interface Props {
  /** Ended once the new one is published. */
  readonly replaced: Announcement | null
  readonly onClose: () => void
}

export function AnnounceDialog({ replaced, onClose }: Props) {
  const { client } = useSession()
  const queries = useQueryClient()
  const readersOf = useReaders()
  const { error, isBusy, onSubmit, ref } = useForm(
    async (form, ifShown) => {
      const text = String(form.get('text'))
      await client.status.announcements.announce({ text, ...timeIn(form, 'from'), ...timeIn(form, 'until') })
      // Its failure must not have the form sent again, since the new one is published already.
      const ended = replaced && (await client.status.announcements.end(replaced.id).catch(showFailure))
      await queries.invalidateQueries({ queryKey: ['status'] })
      showToast(`Announcement ${ended ? 'replaced' : 'published'}. ${readersOf([])}`.trim())
      ifShown(onClose)
    },
    { draft: `announcement ${replaced?.id ?? ''}` },
  )
  const from = replaced?.state === 'planned' ? fieldTime(Date.parse(replaced.from)) : ''
  const until = replaced?.until ? fieldTime(Date.parse(replaced.until)) : ''
  return (
    <Dialog title={replaced ? 'Replace announcement' : 'New announcement'} isOpen onClose={onClose}>
      <form onSubmit={onSubmit} ref={ref}>
        <Readers components={[]} />
        <TextArea
          label="Text"
          name="text"
          required
          defaultValue={replaced?.text ?? ''}
          hint="Plain text of at most 500 characters."
        />
        <Field
          label="From"
          name="from"
          type="datetime-local"
          defaultValue={from}
          hint={`${inTimeZone()} Leave empty to start now.`}
        />
        <Field
          label="Until"
          name="until"
          type="datetime-local"
          defaultValue={until}
          hint={`${inTimeZone()} Leave empty to end it by hand.`}
        />
        {replaced && <p className="note">It is published anew, and the one before is ended.</p>}
        {error !== null && <Failure error={error} />}
        <ActButton type="submit" tone="main" isBusy={isBusy}>
          {replaced ? 'Replace' : 'Announce'}
        </ActButton>
      </form>
    </Dialog>
  )
}
