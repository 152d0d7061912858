import { useQueryClient } from '@tanstack/react-query'
import type { Schemas } from '../../../../client/src/client.ts'
import { useAct } from '../../parts/use-act.ts'
import { useSession } from '../../session/session.ts'

/** `free`: the image is gone, and only its name is still hidden. */
export type Action = Exclude<Schemas['ReportAction'], 'delete'> | 'unhide' | 'free'

interface Terms {
  readonly report: Pick<Schemas['Report'], 'id' | 'name' | 'state'>
  readonly action: Action
}

const done: Readonly<Record<Action, string>> = {
  keep: 'Kept',
  hide: 'Hidden',
  unhide: 'Shown again',
  free: 'Its name is free',
}

/** What moderators decide about a reported image, and how they show a hidden one again. */
export function useReportActs() {
  const { client } = useSession()
  const queries = useQueryClient()
  const { isPending, variables, mutate } = useAct<Terms>(
    ['reports'],
    ({ report: { id, name, state }, action }) => {
      if (action === 'unhide' || action === 'free') return client.admin.unhide({ name })
      // Only the image is hidden: it was kept, or shown by mistake.
      if (state === 'closed') return client.admin.hide({ name })
      return client.admin.resolveReport(id, { action })
    },
    ({ report, action }) => {
      for (const queryKey of [['images'], ['kinds']]) void queries.invalidateQueries({ queryKey })
      return `${done[action]}: ${report.name}`
    },
    ({ report, action }): (() => void) | null => {
      if (action === 'hide') return () => mutate({ report, action: 'unhide' })
      return action === 'unhide' ? () => mutate({ report: { ...report, state: 'closed' }, action: 'hide' }) : null
    },
  )
  return {
    isBusy: (id: string) => isPending && variables.report.id === id,
    act: (report: Terms['report'], action: Action) => mutate({ report, action }),
  }
}
