import { useEffect, useRef, useState } from 'react'
import { cronProblem, nextRun } from '../../../../src/lib/cron.ts'
import { isTimeZone } from '../../../../src/lib/time-zone.ts'
import { Field } from '../../parts/field.tsx'
import { exactTime } from '../../parts/time.tsx'
import { serverNow } from '../../session/server-clock.ts'

interface Props {
  readonly schedule?: string
  readonly tz: string
  /** Of a schedule. */
  readonly example: string
  /** How long before a run a heartbeat belongs to it: that run is not waited for. */
  readonly earlyMs?: number
}

const shown = 3

/** A schedule and its time zone, and when that is. */
export function ScheduleFields({ schedule, tz, example, earlyMs = 0 }: Props) {
  const expression = useRef<HTMLInputElement>(null)
  const zone = useRef<HTMLInputElement>(null)
  const [preview, setPreview] = useState<string | null>(null)
  const look = () => {
    const cron = { expression: expression.current?.value.trim() ?? '', tz: zone.current?.value.trim() || 'UTC' }
    const problem = cron.expression === '' ? null : cronProblem(cron.expression)
    const wrongSchedule = problem === null ? '' : `This is not a schedule: ${problem}.`
    const wrongZone = isTimeZone(cron.tz) ? '' : 'There is no time zone of this name.'
    expression.current?.setCustomValidity(wrongSchedule)
    zone.current?.setCustomValidity(wrongZone)
    setPreview(wrongSchedule || wrongZone || (cron.expression === '' ? null : previewOf(cron, serverNow() + earlyMs)))
  }
  // A form that is opened again has restored them meanwhile.
  useEffect(look, [])
  return (
    <>
      <Field
        label="Schedule"
        name="schedule"
        required
        defaultValue={schedule}
        ref={expression}
        onInput={look}
        hint={`A cron expression of five fields, such as ${example}.`}
      />
      <Field
        label="Time zone"
        name="tz"
        defaultValue={tz}
        ref={zone}
        onInput={look}
        hint="Of the schedule, such as Europe/Berlin; UTC if empty."
      />
      <p className="note" role="status">
        {preview}
      </p>
    </>
  )
}

function previewOf({ expression, tz }: { readonly expression: string; readonly tz: string }, from: number): string {
  const times: number[] = []
  for (let at: number | null = from; times.length < shown; times.push(at)) {
    at = nextRun({ expression, tz }, at)
    if (at === null) break
  }
  return `Next: ${times.map((at) => exactTime(new Date(at).toISOString())).join('; ')}.`
}
