import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../process/logger.ts'
import type { Catalogue } from './catalogue.ts'
import type { Kinds } from './kinds.ts'
import type { ObjectStore } from './object-store.ts'

/** What most of the code about images needs a part of. */
export interface ImageParts {
  readonly store: ObjectStore
  /** Has the images of all kinds. */
  readonly bucket: string
  readonly kinds: Kinds
  readonly catalogue: Catalogue
  readonly clock: Clock
  readonly log: Logger
}
