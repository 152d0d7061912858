import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field, TextArea } from '../../parts/field.tsx'
import { fieldTime, inTimeZone, lastTime, timeIn } from '../../parts/form-values.ts'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.ts'
import { serverNow } from '../../session/server-clock.ts'
import { useSession } from '../../session/session.ts'
import { ComponentsField, componentsIn } from './components-field.tsx'
import { useReaders } from './readers.tsx'

interface Props {
  readonly components?: readonly string[]
  readonly onClose: () => void
}

const hourMs = 3_600_000

/** By the clock on the wall, which may differ from UTC by half an hour. */
const nextHour = () => new Date(serverNow()).setMinutes(60, 0, 0)

/** First the start, which is all that is left to type when the components are given. */
export function PlanMaintenance({ components = [], onClose }: Props) {
  const { client } = useSession()
  const queries = useQueryClient()
  const readersOf = useReaders()
  const [from, setFrom] = useState(() => fieldTime(nextHour()))
  /** Null as long as it follows the start. */
  const [until, setUntil] = useState<string | null>(null)
  const startsAt = from === '' ? serverNow() : Date.parse(from)
  const { error, isBusy, onSubmit, ref } = useForm(
    async (form) => {
      const text = String(form.get('text'))
      await client.status.maintenance.announce({
        components: componentsIn(form),
        ...timeIn(form, 'from'),
        until: timeIn(form, 'until').until ?? '',
        ...(text !== '' && { text }),
      })
      await queries.invalidateQueries({ queryKey: ['status'] })
      showToast(`Maintenance planned. ${readersOf(componentsIn(form))}`.trim())
      onClose()
    },
    { draft: `maintenance ${components.join(' ')}` },
  )
  const title = 'Plan maintenance'
  return (
    <Dialog title={components.length === 1 ? `${title}: ${components[0]}` : title} isOpen onClose={onClose}>
      <form onSubmit={onSubmit} ref={ref}>
        <Field
          label="From"
          name="from"
          type="datetime-local"
          max={lastTime}
          value={from}
          onChange={({ currentTarget }) => setFrom(currentTarget.value)}
          hint={`${inTimeZone()} Leave empty to start now.`}
        />
        <Field
          label="Until"
          name="until"
          type="datetime-local"
          max={lastTime}
          required
          hint={inTimeZone()}
          value={until ?? fieldTime(startsAt + hourMs)}
          onChange={({ currentTarget }) => setUntil(currentTarget.value)}
        />
        <ComponentsField isRequired initial={components} />
        <TextArea label="Text" name="text" hint="At most 500 characters." />
        {error !== null && <Failure error={error} />}
        <ActButton type="submit" tone="main" isBusy={isBusy}>
          Plan
        </ActButton>
      </form>
    </Dialog>
  )
}
