import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { earlyMs } from '../../../../src/status/schedule.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field, Select } from '../../parts/field.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { suggest } from '../../parts/typed.ts'
import { useForm } from '../../parts/use-form.tsx'
import { useSession } from '../../session/session.ts'
import { ScheduleFields } from './schedule-fields.tsx'

type Component = Schemas['Component']

interface Props {
  readonly component: Component
  readonly onClose: () => void
}

type Values = Readonly<
  Record<'by' | 'schedule' | 'tz' | 'expectWithinSeconds' | 'graceSeconds' | 'maxRunSeconds', string>
>

const dueBy = [
  ['schedule', 'at the times of a schedule'],
  ['timeout', 'some time after the last one'],
] as const

const usualGrace = (by: string) => (by === 'schedule' ? 600 : 0)

/** What the form shows first. */
const valuesOf = ({ schedule, tz, timeoutSeconds, graceSeconds, maxRunSeconds }: Component): Values => ({
  by: schedule === null ? 'timeout' : 'schedule',
  schedule: schedule ?? '',
  tz: tz ?? '',
  expectWithinSeconds: schedule === null ? String(timeoutSeconds) : '',
  graceSeconds: String(graceSeconds),
  maxRunSeconds: String(maxRunSeconds),
})

/** Only what differs, so that a default stays a default. A time zone belongs to its schedule. */
function changesIn(form: FormData, before: Values) {
  const textOf = (name: keyof Values) => String(form.get(name) ?? '').trim()
  const isDueOtherwise = textOf('by') !== before.by
  const isChanged = (name: keyof Values) => textOf(name) !== '' && textOf(name) !== before[name]
  const secondsOf = (name: keyof Values) => (isChanged(name) ? { [name]: Number(textOf(name)) } : {})
  const [schedule, tz] = [textOf('schedule'), textOf('tz')]
  const isRescheduled = schedule !== '' && (schedule !== before.schedule || tz !== before.tz)
  return {
    ...(isRescheduled && { schedule, tz: tz === '' ? 'UTC' : tz }),
    ...secondsOf('expectWithinSeconds'),
    ...(isDueOtherwise
      ? { graceSeconds: Number(textOf('graceSeconds') || usualGrace(textOf('by'))) }
      : secondsOf('graceSeconds')),
    ...secondsOf('maxRunSeconds'),
  }
}

export function ChangeComponent({ component, onClose }: Props) {
  const { componentId, timeoutFrom } = component
  const [before] = useState(() => valuesOf(component))
  const [by, setBy] = useState(before.by)
  const grace = useRef<HTMLInputElement>(null)
  const graceOf = (kind: string) => (kind === before.by ? before.graceSeconds : String(usualGrace(kind)))
  const { client } = useSession()
  const queries = useQueryClient()
  const { error, isBusy, onSubmit, ref } = useForm(
    async (form, ifShown) => {
      const changes = changesIn(form, before)
      if (Object.keys(changes).length > 0) {
        await client.status.change(componentId, changes)
        await queries.invalidateQueries({ queryKey: ['status'] })
        showToast(`Changed: ${componentId}`)
      }
      ifShown(onClose)
    },
    { draft: `change ${componentId}` },
  )
  return (
    <Dialog
      title={`Change when ${componentId} is due`}
      description={
        <p>
          {timeoutFrom === 'setting'
            ? 'STATUS_TIMEOUTS of the worker overrides the schedule and timeout of this component.'
            : 'Counts from now. The next heartbeat that sends the same fields changes them again.'}
        </p>
      }
      isOpen
      onClose={onClose}
    >
      <form onSubmit={onSubmit} ref={ref}>
        <Select
          label="Its heartbeat is due"
          name="by"
          value={by}
          options={dueBy}
          onChange={({ currentTarget }) => {
            suggest(grace.current, graceOf(currentTarget.value))
            setBy(currentTarget.value)
          }}
        />
        <fieldset className="plain" hidden={by !== 'schedule'} disabled={by !== 'schedule'}>
          <ScheduleFields schedule={before.schedule} tz={before.tz} example="0 3 * * 1-5" earlyMs={earlyMs} />
        </fieldset>
        <fieldset className="plain" hidden={by === 'schedule'} disabled={by === 'schedule'}>
          <Field
            label="Timeout in seconds"
            name="expectWithinSeconds"
            type="number"
            min={10}
            required
            defaultValue={before.expectWithinSeconds}
          />
        </fieldset>
        <Field
          label="Grace period in seconds"
          name="graceSeconds"
          type="number"
          min={0}
          defaultValue={graceOf(by)}
          ref={grace}
          hint="How long a late heartbeat is waited for; usually 600 for a schedule and 0 for a timeout."
        />
        <Field
          label="Longest run in seconds"
          name="maxRunSeconds"
          type="number"
          min={1}
          defaultValue={before.maxRunSeconds}
          hint="A run that was started and has not ended by then is an outage."
        />
        {error !== null && <Failure error={error} />}
        <ActButton type="submit" tone="main" isBusy={isBusy}>
          Change
        </ActButton>
      </form>
    </Dialog>
  )
}
