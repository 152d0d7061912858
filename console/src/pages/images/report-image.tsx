import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { ActButton } from '../../parts/act-button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { TextArea } from '../../parts/field.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useForm } from '../../parts/use-form.tsx'
import { useSession } from '../../session/session.ts'

interface Props {
  readonly name: string
  readonly onDone: () => void
}

export function ReportImage({ name, onDone }: Props) {
  const { client } = useSession()
  const queries = useQueryClient()
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    field.current?.focus()
    field.current?.form?.scrollIntoView({ block: 'nearest' })
  }, [])
  const { error, isBusy, onSubmit, ref } = useForm(
    async (form, ifShown) => {
      await client.images.report({ name, reason: String(form.get('reason')) })
      showToast(`${name} has been reported to the moderators`)
      await queries.invalidateQueries({ queryKey: ['reports'] })
      ifShown(onDone)
    },
    { draft: `report ${name}` },
  )
  return (
    <form onSubmit={onSubmit} ref={ref}>
      <TextArea label="What is wrong with it?" hint="At most 500 characters." name="reason" required ref={field} />
      {error !== null && <Failure error={error} />}
      <div className="actions">
        <ActButton type="submit" tone="main" isBusy={isBusy}>
          Send report
        </ActButton>
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  )
}
