import type { Origin } from '../accounts/audit.ts'
import { permitted } from '../accounts/roles.ts'
import { refuse } from '../http/refusal.ts'
import { errors } from './errors.ts'
import { actOnImage } from './image-act.ts'
import { parseKey } from './names.ts'
import { findImage } from './report-image.ts'
import { type ModerationDeps, showHidden } from './resolve-report.ts'

const byModerator = (deps: ModerationDeps, by: Origin, name: string) => {
  if (parseKey(deps.kinds, name) === null) refuse(errors.imageNotFound)
  return actOnImage(deps, by, name, permitted.moderate)
}

/** Without a report. An open one stays open. */
export async function hide(deps: ModerationDeps, by: Origin, name: string): Promise<void> {
  const act = byModerator(deps, by, name)
  if ((await findImage(deps, name)) === null) refuse(errors.imageNotFound)
  if (!(await deps.reports.hide(act, name))) refuse(errors.alreadyHidden)
  await showHidden(deps)
}

export async function unhide(deps: ModerationDeps, by: Origin, name: string): Promise<void> {
  const act = byModerator(deps, by, name)
  if (!(await deps.reports.unhide(act, name)))
    refuse((await findImage(deps, name)) ? errors.notHidden : errors.imageNotFound)
  await showHidden(deps)
  await deps.source.follow(name, 'keep')
}
