import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ActButton } from '../../parts/act-button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field, TextArea } from '../../parts/field.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { exactTime, Moment } from '../../parts/time.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.tsx'
import { useSession } from '../../session/session.ts'
import { ComponentsField, componentsIn } from './components-field.tsx'
import { QuietDuring } from './quiet-during.tsx'
import { useReaders } from './readers.tsx'
import { ScheduleFields } from './schedule-fields.tsx'
import { useRecurring } from './use-recurring.ts'

/** Its occurrences are in the list of maintenance, where each of them can be cancelled. */
export function RecurringMaintenance({ mayAct }: { readonly mayAct: boolean }) {
  const { client } = useSession()
  const [isPlanning, setIsPlanning] = useState(false)
  const list = useRecurring()
  const [asked, setAsked] = useState<string | null>(null)
  return (
    <section>
      <header className="section-head">
        <h2>Recurring maintenance</h2>
        {mayAct && (
          <button type="button" className="button" onClick={() => setIsPlanning(true)}>
            Plan recurring maintenance
          </button>
        )}
      </header>
      <Loaded query={list} name="recurring maintenance" isEmpty={(all) => all.length === 0}>
        {(all) => (
          <ul className="entries">
            {all.map(({ id, components, schedule, tz, durationSeconds, text, windows }) => (
              <li key={id}>
                <strong>{components.join(', ')}</strong>
                {text !== null && (
                  <p className="text" dir="auto">
                    {text}
                  </p>
                )}
                <p className="note">
                  <code>{schedule}</code> in {tz}, {durationSeconds / 60} minutes
                  {windows[0] && (
                    <>
                      , next <Moment at={windows[0].from} />
                    </>
                  )}
                </p>
                {mayAct && (
                  <button type="button" className="button" onClick={() => setAsked(id)}>
                    Stop repeating
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {asked !== null && (
        <Confirm
          title="Stop repeating maintenance"
          label="Stop repeating"
          act={() => client.status.maintenance.recurring.end(asked)}
          done="Recurring maintenance ended"
          queryKey={['status']}
          onClose={() => setAsked(null)}
        >
          What is planned of it is cancelled, too. This cannot be undone.
        </Confirm>
      )}
      {isPlanning && <PlanRecurring onClose={() => setIsPlanning(false)} />}
    </section>
  )
}

function PlanRecurring({ onClose }: { readonly onClose: () => void }) {
  const { client } = useSession()
  const readersOf = useReaders()
  const queries = useQueryClient()
  const { error, isBusy, onSubmit, ref } = useForm(
    async (form, ifShown) => {
      const [schedule, tz, text] = ['schedule', 'tz', 'text'].map((name) => String(form.get(name) ?? '').trim()) as [
        string,
        string,
        string,
      ]
      const { recurring } = await client.status.maintenance.recurring.announce({
        components: componentsIn(form),
        schedule,
        durationSeconds: Number(form.get('durationSeconds')) * 60,
        ...(tz !== '' && { tz }),
        ...(text !== '' && { text }),
      })
      await queries.invalidateQueries({ queryKey: ['status'] })
      const first = recurring.windows[0] && `First ${exactTime(recurring.windows[0].from)}.`
      showToast(['Recurring maintenance planned.', first, readersOf(componentsIn(form))].filter(Boolean).join(' '))
      ifShown(onClose)
    },
    { draft: 'recurring maintenance' },
  )
  return (
    <Dialog title="Plan recurring maintenance" description={<QuietDuring />} isOpen onClose={onClose}>
      <form onSubmit={onSubmit} ref={ref}>
        <ComponentsField isRequired />
        <ScheduleFields tz={Intl.DateTimeFormat().resolvedOptions().timeZone} example="0 3 * * 0" />
        <Field
          label="Minutes"
          name="durationSeconds"
          type="number"
          min={1}
          max={10_080}
          required
          hint="How long it lasts each time."
        />
        <TextArea label="Text" name="text" hint="Plain text of at most 500 characters." />
        {error !== null && <Failure error={error} />}
        <ActButton type="submit" tone="main" isBusy={isBusy}>
          Plan
        </ActButton>
      </form>
    </Dialog>
  )
}
