import { useQueryClient } from '@tanstack/react-query'
import { ActButton } from '../../parts/act-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.tsx'
import { useSession } from '../../session/session.ts'
import { componentsIn } from './components-field.tsx'
import { IncidentFields, type Level, levelIn, type Stage, saidIn } from './incident-fields.tsx'
import { Readers, useReaders } from './readers.tsx'

interface Props {
  readonly id: string
  /** Its title or component. */
  readonly name: string
  /** Null if silence opened it. */
  readonly byHand: { readonly level: Level } | null
  readonly components: readonly string[]
  /** Null if it is not known here. */
  readonly isResolved: boolean | null
  /** Says that it is over, and nothing else. */
  readonly isResolving?: boolean
  readonly onClose: () => void
}

const during = ['investigating', 'identified', 'monitoring'] as const

/** A heartbeat resolves a silence; people may say afterwards what the reason was. */
function stagesOf(isByHand: boolean, isResolved: boolean | null): readonly Stage[] {
  if (isByHand) return isResolved ? ['postmortem'] : [...during, 'resolved']
  return [...(isResolved ? [] : during), ...(isResolved === false ? [] : (['resolved', 'postmortem'] as const))]
}

export function UpdateIncident({ id, name, byHand, components, isResolved, isResolving = false, onClose }: Props) {
  const { client } = useSession()
  const queries = useQueryClient()
  const about = isResolved || isResolving || byHand === null ? null : { ...byHand, components }
  const stages = isResolving ? (['resolved'] as const) : stagesOf(byHand !== null, isResolved)
  const [title, label] = isResolving
    ? [`Resolve ${name}`, 'Resolve']
    : stages.every((stage) => stage === 'postmortem')
      ? [`Postmortem of ${name}`, 'Post']
      : [`Update on ${name}`, 'Post update']
  const readersOf = useReaders()
  const { error, isBusy, onSubmit, ref } = useForm(
    async (form, ifShown) => {
      const changes = about && { level: levelIn(form), components: componentsIn(form) }
      await client.status.updateIncident(id, { ...saidIn(form), ...changes })
      await queries.invalidateQueries({ queryKey: ['status'] })
      showToast(
        `${isResolving ? 'Resolved' : 'Update posted'}: ${name}. ${readersOf(changes ? changes.components : components)}`.trim(),
      )
      ifShown(onClose)
    },
    { draft: `${isResolving ? 'resolve' : 'update'} ${id}` },
  )
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <form onSubmit={onSubmit} ref={ref}>
        <IncidentFields stages={stages} about={about} />
        {about === null && <Readers components={components} />}
        {error !== null && <Failure error={error} />}
        <ActButton type="submit" tone="main" isBusy={isBusy}>
          {label}
        </ActButton>
      </form>
    </Dialog>
  )
}
