import type { Origin } from '../../accounts/audit.ts'
import { permitted } from '../../accounts/roles.ts'
import { refuse } from '../../http/refusal.ts'
import { errors } from '../errors.ts'
import { actOnImage } from '../image-act.ts'
import { findImage, type KnownImages } from '../report-image.ts'
import type { DetailValues, ImageDetails } from './details.ts'
import type { ChangedDetails } from './details-store.ts'
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
  const act = actOnImage(deps, by, name, permitted.administer)
  if ((await findImage(deps, name)) === null) refuse(errors.imageNotFound)
  const [changed] = await deps.details.change(act, [{ name, values }])
  return (changed as ChangedDetails).details
}
