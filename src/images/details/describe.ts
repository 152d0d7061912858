import type { Catalogue } from '../catalogue.ts'
import type { Choice } from '../choose.ts'
import { type BaseUrl, chosenKey, describeWithShape } from '../descriptor.ts'
import type { Size } from '../sizes/size.ts'
import { noDetails, setDetails } from './details.ts'
import type { KnownDetails } from './known-details.ts'

export interface DescribeDeps {
  readonly baseUrl: BaseUrl
  readonly catalogue: Catalogue
  readonly details: Pick<KnownDetails, 'find'>
}

/** With everything that is known of these images. */
export async function describeAll(
  { baseUrl, catalogue, details }: DescribeDeps,
  choices: readonly Choice[],
  size: Size | null,
) {
  const found = await details.find(choices.map(chosenKey))
  return choices.map((choice) => ({
    ...describeWithShape(baseUrl, catalogue, choice, size),
    ...setDetails(found.get(chosenKey(choice)) ?? noDetails),
  }))
}
