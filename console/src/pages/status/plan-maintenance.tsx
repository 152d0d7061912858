import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Schemas } from '../../../../client/src/client.ts'
import { othersOf } from '../../../../src/status/other-maintenance.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field, TextArea } from '../../parts/field.tsx'
import { firstPage } from '../../parts/first-page.ts'
import { fieldTime, inTimeZone, lastTime, timeIn } from '../../parts/form-values.ts'
import { showToast } from '../../parts/toasts.tsx'
import { suggest } from '../../parts/typed.ts'
import { useForm } from '../../parts/use-form.tsx'
import { serverNow } from '../../session/server-clock.ts'
import { useSession } from '../../session/session.ts'
import { ComponentsField, componentsIn } from './components-field.tsx'
import { QuietDuring } from './quiet-during.tsx'
import { useReaders } from './readers.tsx'

type Planned = Schemas['Maintenance']

interface Props {
  readonly components?: readonly string[]
  /** Changes this one instead of planning another. */
  readonly planned?: Planned
  readonly onClose: () => void
}

const hourMs = 3_600_000

/** By the clock on the wall, which may differ from UTC by half an hour. */
const nextHour = () => new Date(serverNow()).setMinutes(60, 0, 0)

const newWindow = (components: readonly string[]) => ({
  from: fieldTime(nextHour()),
  until: null,
  components,
  text: '',
})
const fieldsOf = ({ from, until, components, text }: Planned) => ({
  from: fieldTime(Date.parse(from)),
  until: fieldTime(Date.parse(until)),
  components,
  text: text ?? '',
})
type First = ReturnType<typeof newWindow | typeof fieldsOf>

function windowIn(form: FormData) {
  const text = String(form.get('text'))
  return {
    components: componentsIn(form),
    ...timeIn(form, 'from'),
    until: timeIn(form, 'until').until ?? '',
    ...(text !== '' && { text }),
  }
}

/** Only what differs, so that nobody else's change is overwritten. */
function changesIn(form: FormData, first: First) {
  const [components, text] = [componentsIn(form), String(form.get('text'))]
  return {
    ...(form.get('from') !== first.from && timeIn(form, 'from')),
    ...(form.get('until') !== first.until && timeIn(form, 'until')),
    ...(components.join() !== first.components.join() && { components }),
    ...(text !== first.text && { text: text === '' ? null : text }),
  }
}

/** First the start, which is all that is left to type when the components are given. */
export function PlanMaintenance({ components = [], planned, onClose }: Props) {
  const { client } = useSession()
  const queries = useQueryClient()
  const readersOf = useReaders()
  const [first] = useState<First>(() => (planned ? fieldsOf(planned) : newWindow(components)))
  const [from, setFrom] = useState(first.from)
  const until = useRef<HTMLInputElement>(null)
  /** The end follows the start as long as nobody has typed one. */
  const untilOf = (start: string) => first.until ?? fieldTime((start === '' ? serverNow() : Date.parse(start)) + hourMs)
  /** Without an answer, nothing is said. */
  const overlapsOf = async (window: Planned) => {
    const listed = await firstPage(client.status.maintenance.list()).catch(() => null)
    const both = new Set(othersOf(window, listed?.maintenance ?? []).flatMap((each) => each.both))
    return both.size === 0 ? '' : `Other maintenance of ${[...both].join(', ')} overlaps it.`
  }
  const { error, isBusy, onSubmit, ref } = useForm(
    async (form, ifShown) => {
      const changes = planned && changesIn(form, first)
      if (changes && Object.keys(changes).length === 0) return onClose()
      const { maintenance } = await (planned && changes
        ? client.status.maintenance.change(planned.id, changes)
        : client.status.maintenance.announce(windowIn(form)))
      await queries.invalidateQueries({ queryKey: ['status'] })
      const said = [readersOf(maintenance.components), await overlapsOf(maintenance)]
      showToast(`Maintenance ${planned ? 'changed' : 'planned'}. ${said.join(' ')}`.trim())
      ifShown(onClose)
    },
    { draft: `maintenance ${planned?.id ?? components.join(' ')}` },
  )
  const title = planned ? 'Change maintenance' : 'Plan maintenance'
  return (
    <Dialog
      title={components.length === 1 ? `${title}: ${components[0]}` : title}
      description={<QuietDuring />}
      isOpen
      onClose={onClose}
    >
      <form onSubmit={onSubmit} ref={ref}>
        <Field
          label="From"
          name="from"
          type="datetime-local"
          max={lastTime}
          defaultValue={first.from}
          onInput={({ currentTarget }) => {
            suggest(until.current, untilOf(currentTarget.value))
            setFrom(currentTarget.value)
          }}
          required={planned !== undefined}
          hint={planned ? inTimeZone() : `${inTimeZone()} Leave empty to start now.`}
        />
        <Field
          label="Until"
          name="until"
          type="datetime-local"
          max={lastTime}
          required
          hint={inTimeZone()}
          defaultValue={untilOf(from)}
          ref={until}
        />
        <ComponentsField isRequired initial={first.components} />
        <TextArea label="Text" name="text" defaultValue={first.text} hint="Plain text of at most 500 characters." />
        {error !== null && <Failure error={error} />}
        <ActButton type="submit" tone="main" isBusy={isBusy}>
          {planned ? 'Change' : 'Plan'}
        </ActButton>
      </form>
    </Dialog>
  )
}
