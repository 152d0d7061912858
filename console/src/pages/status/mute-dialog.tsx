import { useQueryClient } from '@tanstack/react-query'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { fieldTime, inTimeZone, timeIn } from '../../parts/form-values.ts'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.tsx'
import { serverNow } from '../../session/server-clock.ts'
import { useSession } from '../../session/session.ts'

interface Props {
  readonly componentId: string
  readonly onClose: () => void
}

export function MuteDialog({ componentId, onClose }: Props) {
  const { client } = useSession()
  const queries = useQueryClient()
  const { error, isBusy, onSubmit } = useForm(async (form, ifShown) => {
    const { until = '' } = timeIn(form, 'until')
    await client.status.mute(componentId, { until })
    await queries.invalidateQueries({ queryKey: ['status'] })
    showToast(`Muted: ${componentId}`)
    ifShown(onClose)
  })
  return (
    <Dialog
      title={`Mute ${componentId}`}
      description={
        <p>No alerts about it are sent until then. What still lasts then is reported, with the time when it began.</p>
      }
      isOpen
      onClose={onClose}
    >
      <form onSubmit={onSubmit}>
        <Field
          label="Until"
          name="until"
          type="datetime-local"
          required
          defaultValue={fieldTime(serverNow() + 2 * 3_600_000)}
          hint={`${inTimeZone()} At most 31 days from now.`}
        />
        {error !== null && <Failure error={error} />}
        <ActButton type="submit" tone="main" isBusy={isBusy}>
          Mute
        </ActButton>
      </form>
    </Dialog>
  )
}
