import { useQueryClient } from '@tanstack/react-query'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { inTimeZone, timeIn } from '../../parts/form-values.ts'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.tsx'
import { useOpenIncidents } from '../../session/open-work.ts'
import { useSession } from '../../session/session.ts'
import { componentsIn } from './components-field.tsx'
import { IncidentFields, levelIn, saidIn } from './incident-fields.tsx'
import { useReaders, useShown } from './readers.tsx'
import { namesOf } from './readers-text.ts'

const stages = ['investigating', 'identified', 'monitoring'] as const

interface Props {
  /** Those that it affects, as long as no others are chosen. */
  readonly components?: readonly string[]
  readonly onClose: () => void
}

export function OpenIncident({ components = [], onClose }: Props) {
  const { client } = useSession()
  const queries = useQueryClient()
  const readersOf = useReaders()
  const { data: shown } = useShown()
  const open = useOpenIncidents().data?.silent.map(({ componentId }) => componentId) ?? []
  const silent = open.filter((componentId) => shown?.includes(componentId))
  const { error, isBusy, onSubmit, ref } = useForm(
    async (form, ifShown) => {
      await client.status.openIncident({
        title: String(form.get('title')),
        level: levelIn(form),
        components: componentsIn(form),
        ...saidIn(form),
        ...timeIn(form, 'from'),
      })
      await queries.invalidateQueries({ queryKey: ['status'] })
      showToast(`Incident opened. ${readersOf(componentsIn(form))}`.trim())
      ifShown(onClose)
    },
    { draft: `open incident ${components.join(' ')}` },
  )
  return (
    <Dialog
      title="Open an incident"
      description={
        <>
          <p>It appears on the status page only: it sends no alert, and stays open until you resolve it.</p>
          {silent.length > 0 && (
            <p className="note">
              The page already shows that nothing has been heard from {namesOf(silent)}: write an update on that under
              “Missed heartbeats” instead.
            </p>
          )}
        </>
      }
      isOpen
      onClose={onClose}
    >
      <form onSubmit={onSubmit} ref={ref}>
        <Field label="Title" name="title" required hint="At most 100 characters." />
        <IncidentFields stages={stages} about={{ level: 'outage', components }} />
        <Field label="Began" name="from" type="datetime-local" hint={`${inTimeZone()} Leave empty to start now.`} />
        {error !== null && <Failure error={error} />}
        <ActButton type="submit" tone="main" isBusy={isBusy}>
          Open
        </ActButton>
      </form>
    </Dialog>
  )
}
