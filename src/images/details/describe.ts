import type { Catalogue } from '../catalogue.ts'
import type { Choice } from '../choose.ts'
import { type BaseUrl, chosenKey, describeWithShape } from '../descriptor.ts'
import { type Looks, shownLook } from '../sizes/looks.ts'
import type { Size } from '../sizes/size.ts'
import { noDetails, setDetails } from './details.ts'
import type { KnownDetails } from './known-details.ts'

export interface DescribeDeps {
  readonly baseUrl: BaseUrl
  readonly catalogue: Catalogue
  readonly details: Pick<KnownDetails, 'find'>
  readonly looks: Pick<Looks, 'find'>
}

/** With everything that is known of these images. */
export async function describeAll(
  { baseUrl, catalogue, details, looks }: DescribeDeps,
  choices: readonly Choice[],
  size: Size | null,
) {
  const names = choices.map(chosenKey)
  const [found, known] = await Promise.all([details.find(names), looks.find(names)])
  return choices.map((choice) => ({
    ...describeWithShape(baseUrl, catalogue, choice, size),
    ...shownLook(known.get(chosenKey(choice)), choice.entry.etag),
    ...setDetails(found.get(chosenKey(choice)) ?? noDetails),
  }))
}
