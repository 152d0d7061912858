import type { Schemas } from '../../../../client/src/client.ts'
import { Select, TextArea } from '../../parts/field.tsx'
import { ComponentsField } from './components-field.tsx'

export type Level = NonNullable<Schemas['WrittenIncident']['byHand']>['level']
export type Stage = Schemas['IncidentUpdate']['stage']

const levels = ['outage', 'partial', 'degraded'] as const satisfies readonly Level[]

const levelLabels: Readonly<Record<Level, string>> = {
  outage: 'Outage',
  partial: 'Partial outage',
  degraded: 'Degraded performance',
}

const labels: Readonly<Record<Stage, string>> = {
  investigating: 'Investigating',
  identified: 'Identified: the cause is known',
  monitoring: 'Monitoring: it should be over',
  resolved: 'Resolved',
  postmortem: 'Postmortem: what was learned',
}

interface Props {
  /** A single one is not asked for. */
  readonly stages: readonly Stage[]
  /** Null: they are not asked for. */
  readonly about: { readonly level: Level; readonly components: readonly string[] } | null
}

/** What an incident and each of its updates say. */
export const IncidentFields = ({ stages, about }: Props) => (
  <>
    {stages.length === 1 ? (
      <input type="hidden" name="stage" value={stages[0]} />
    ) : (
      <Select label="Stage" name="stage" options={stages.map((stage) => [stage, labels[stage]] as const)} />
    )}
    <TextArea label="Text" name="text" required hint="Plain text of at most 2,000 characters." />
    {about && (
      <>
        <Select
          label="Level"
          name="level"
          defaultValue={about.level}
          options={levels.map((level) => [level, levelLabels[level]] as const)}
        />
        <ComponentsField initial={about.components} hint="Choose none for the service as a whole." />
      </>
    )}
  </>
)

export const saidIn = (form: FormData) => ({ stage: form.get('stage') as Stage, text: String(form.get('text')) })
export const levelIn = (form: FormData) => form.get('level') as Level
