import { mustBeOneOf } from '../accounts/access.ts'
import type { Origin } from '../accounts/audit.ts'
import { permitted } from '../accounts/roles.ts'
import { refuse } from '../http/refusal.ts'
import type { Logger } from '../process/logger.ts'
import type { ChangeDeps } from './admin/records.ts'
import { removeObject } from './admin/remove-object.ts'
import { errors } from './errors.ts'
import type { HiddenImages } from './hidden-images.ts'
import { type ImageAct, imageActOf } from './image-act.ts'
import type { ImageSource } from './image-source.ts'
import type { KnownImages } from './report-image.ts'
import type { Report, ReportAction, Reports } from './reports.ts'

export interface ModerationDeps extends ChangeDeps, KnownImages {
  readonly reports: Reports
  readonly hidden: Pick<HiddenImages, 'refresh'>
  readonly source: Pick<ImageSource, 'recheck' | 'follow'>
  readonly log: Logger
}

/** Closes an open report and carries out the decision. If two moderators act at once, one is refused. */
export async function resolveReport(
  deps: ModerationDeps,
  by: Origin,
  { id, action }: { readonly id: string; readonly action: ReportAction },
): Promise<Report> {
  const { reports, bucket } = deps
  const act = imageActOf(bucket, by, (account) => {
    const { role } = mustBeOneOf(permitted.moderate, account)
    if (action === 'delete' && !permitted.administer.includes(role)) refuse(errors.cannotDelete)
  })
  const found = (await reports.resolve(act, id, action)) ?? refuse(errors.reportNotFound)
  by.noteTarget?.(act.targetOf(found.name))
  if (found.resolution) refuse(errors.alreadyResolved, {}, { ACTION: found.resolution.action })
  await showHidden(deps)
  // Hidden until it is gone: a crash in between must not leave it visible.
  if (action === 'delete') await deleteReported(deps, act, found)
  return (await reports.find(id)) ?? refuse(errors.reportNotFound)
}

async function deleteReported(deps: ModerationDeps, act: ImageAct, report: Report): Promise<void> {
  const { reports, bucket, log } = deps
  const { name } = report
  try {
    await removeObject(deps, act.by, { bucketName: bucket, objectName: name, etag: undefined })
  } catch (error) {
    await reports
      .settle(act, report, false)
      .catch((reason) => log.warn({ name, err: reason }, 'could not reopen the report of an image; it stays hidden'))
    await showHidden(deps)
    throw error
  }
  await reports.settle(act, report, true)
  await showHidden(deps)
}

/** The decision is stored: if it cannot be read now, the next check does. */
export const showHidden = ({ hidden, log }: ModerationDeps) =>
  hidden.refresh().catch((error) => log.warn({ err: error }, 'could not read which images are hidden; trying again'))
