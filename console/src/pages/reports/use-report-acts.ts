import { useQueryClient } from '@tanstack/react-query'
import type { Schemas } from '../../../../client/src/client.ts'
import { useAct } from '../../parts/use-act.ts'
import { useSession } from '../../session/session.ts'

export type Action = Exclude<Schemas['ReportAction'], 'delete'> | 'unhide'

interface Terms {
  readonly id: string
  readonly name: string
  readonly action: Action
}

const done: Readonly<Record<Action, string>> = {
  keep: 'Kept',
  hide: 'Hidden',
  unhide: 'Shown again',
}

/** What moderators decide about a reported image, and how they show a hidden one again. */
export function useReportActs() {
  const { client } = useSession()
  const queries = useQueryClient()
  const { isPending, variables, mutate } = useAct<Terms>(
    ['reports'],
    ({ id, name, action }) =>
      action === 'unhide' ? client.admin.unhide({ name }) : client.admin.resolveReport(id, { action }),
    ({ name, action }) => {
      for (const queryKey of [['images'], ['kinds']]) void queries.invalidateQueries({ queryKey })
      return `${done[action]}: ${name}`
    },
    (terms) => (terms.action === 'hide' ? () => mutate({ ...terms, action: 'unhide' }) : null),
  )
  return {
    isBusy: (id: string) => isPending && variables.id === id,
    act: ({ id, name }: Omit<Terms, 'action'>, action: Action) => mutate({ id, name, action }),
  }
}
