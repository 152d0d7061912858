import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ActButton } from './act-button.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from './failure.tsx'
import { showToast } from './toasts.tsx'
import { useForm } from './use-form.tsx'

interface Props {
  readonly title: string
  /** The button's label. */
  readonly label: string
  /** That of the other button. */
  readonly dismiss?: string
  readonly act: () => Promise<unknown>
  /** The message after the act. */
  readonly done: string
  /** What the act changes. */
  readonly queryKey: QueryKey
  readonly onClose: () => void
  /** The consequences of the act. */
  readonly children: ReactNode
}

/** Asks before an act that cannot be undone. */
export function Confirm({ title, label, dismiss = 'Cancel', act, done, queryKey, onClose, children }: Props) {
  const queries = useQueryClient()
  const { error, isBusy, onSubmit } = useForm(async (_form, ifShown) => {
    try {
      await act()
      showToast(done)
      ifShown(onClose)
    } finally {
      void queries.invalidateQueries({ queryKey })
    }
  })
  return (
    <Dialog title={title} description={<p>{children}</p>} isOpen onClose={onClose}>
      <form onSubmit={onSubmit}>
        {error !== null && <Failure error={error} />}
        <div className="actions">
          <ActButton type="submit" tone="danger" isBusy={isBusy}>
            {label}
          </ActButton>
          <button type="button" className="button" data-first onClick={onClose}>
            {dismiss}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
