import { isId } from '../lib/ids.ts'
import type { Maintenance } from './maintenance.ts'

/** Max ids and texts on a page, in characters: less than the API reads from a worker. */
const maxCharacters = 200_000

/** Start and id of the last window on a page; the latest come first. */
export const isWindowCursor = (text: string): boolean => {
  const [, from, id] = /^(-?\d{1,15})_(.+)$/.exec(text) ?? []
  return from !== undefined && isId(id as string)
}

function isAfter(window: Maintenance, cursor: string): boolean {
  const [from = '', id = ''] = cursor.split('_')
  return window.from < Number(from) || (window.from === Number(from) && window.id < id)
}

const charactersOf = ({ components, text }: Maintenance) =>
  components.reduce((sum, id) => sum + id.length, text?.length ?? 0)

/** All windows without a limit; with one, fewer than the limit if they name many components. */
export function pageOfWindows(windows: readonly Maintenance[], limit?: number, cursor?: string) {
  const rest = cursor === undefined ? windows : windows.filter((window) => isAfter(window, cursor))
  if (limit === undefined) return { page: rest, next: null }
  let count = 0
  for (let characters = 0; count < Math.min(limit, rest.length) && characters < maxCharacters; count++)
    characters += charactersOf(rest[count] as Maintenance)
  const last = rest[count - 1]
  return { page: rest.slice(0, count), next: last && count < rest.length ? `${last.from}_${last.id}` : null }
}
