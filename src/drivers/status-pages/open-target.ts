import type { Config } from '../../config/config.ts'
import { BadSetting } from '../../config/parser.ts'
import type { StatusTarget } from '../../config/status-targets.ts'
import type { Clock } from '../../lib/clock.ts'
import type { StatusPage } from '../../status/status-page.ts'
import type { Names } from './alert-text.ts'
import { openStatusPage } from './vendors.ts'

interface OpenTarget {
  readonly clock: Clock
  readonly source: string
  readonly timeoutMs?: number
}

type Linked = Pick<Config, 'BASE_URL' | 'CONSOLE' | 'STATUS_PAGE' | 'STATUS_PAGE_COMPONENTS'>

/** Throws a BadSetting if a setting of the target is missing or invalid. */
export const openTarget = ({ name: _, ...target }: StatusTarget, config: Linked, options: OpenTarget): StatusPage =>
  openStatusPage({ ...target, ...options, names: namesIn(config) })

/** Opens all targets, or throws one BadSetting about all that are not configured correctly. */
export function openTargets(config: Linked & Pick<Config, 'statusTargets'>, options: OpenTarget) {
  const problems: string[] = []
  const opened = config.statusTargets.flatMap((target) => {
    try {
      return [{ target, page: openTarget(target, config, options) }]
    } catch (error) {
      if (!(error instanceof BadSetting)) throw error
      problems.push(error.message)
      return []
    }
  })
  if (problems.length > 0) throw new BadSetting(problems.join('; '))
  return opened
}

/** Links are made of BASE_URL alone. */
function namesIn({ BASE_URL, CONSOLE, STATUS_PAGE, STATUS_PAGE_COMPONENTS }: Linked): Names {
  const labels = new Map((STATUS_PAGE_COMPONENTS ?? []).map(({ id, label }) => [id, label]))
  return {
    labelOf: (id) => labels.get(id) ?? id,
    linkOf(ids) {
      if (BASE_URL === null) return null
      const isPublic = (id: string) => STATUS_PAGE === 'on' && labels.has(id)
      const page = `${BASE_URL}/status`
      if (ids.every(isPublic)) return page
      const [id] = ids.length === 1 ? ids : []
      if (CONSOLE) return `${BASE_URL}/console#/status${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
      return ids.some(isPublic) ? page : null
    },
  }
}
