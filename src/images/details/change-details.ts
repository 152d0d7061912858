import { mustBeOneOf } from '../../accounts/access.ts'
import type { Origin } from '../../accounts/audit.ts'
import { permitted } from '../../accounts/roles.ts'
import { refuse } from '../../http/refusal.ts'
import { targetOf } from '../admin/records.ts'
import { errors } from '../errors.ts'
import { findImage, type KnownImages } from '../report-image.ts'
import type { DetailValues, ImageDetails } from './details.ts'
import type { DetailsChange } from './details-store.ts'
import type { KnownDetails } from './known-details.ts'

export interface ChangeDetailsDeps extends KnownImages {
  readonly details: Pick<KnownDetails, 'change'>
}

/** Of a hidden image, too. Returns all its details. */
export async function changeDetails(
  deps: ChangeDetailsDeps,
  by: Origin,
  name: string,
  values: DetailValues,
): Promise<ImageDetails> {
  by.noteTarget?.(targetOf({ bucket: deps.bucket, name }))
  if ((await findImage(deps, name)) === null) refuse(errors.imageNotFound)
  const change: DetailsChange = { name, values }
  const [changed] = await deps.details.change(
    {
      by,
      targetOf: (of) => targetOf({ bucket: deps.bucket, name: of }),
      check: (account) => void mustBeOneOf(permitted.administer, account),
    },
    [change],
  )
  return (changed as { details: ImageDetails }).details
}
