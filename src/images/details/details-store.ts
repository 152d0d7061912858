import type { ImageAct } from '../image-act.ts'
import type { DetailValues, ImageDetails } from './details.ts'

export interface DetailsChange {
  /** Kind and file name. */
  readonly name: string
  readonly values: DetailValues
}

export interface ChangedDetails {
  readonly name: string
  readonly details: ImageDetails
  /** False if they were already so. */
  readonly isChanged: boolean
}

export interface DescribedImage {
  readonly name: string
  readonly details: ImageDetails
}

/** Where a page of changes ended. Versions are given in the order of the commits. */
export interface ChangePosition {
  readonly version: number
  readonly name: string
}

/** What every instance keeps of an image with details. */
export interface Marks {
  readonly tags: readonly string[]
  readonly hasSource: boolean
}

export interface ChangedMarks extends ChangePosition {
  /** Null if the image has no details any more. */
  readonly marks: Marks | null
}

/** The port of image details. Every method throws Unavailable if the database is down. */
export interface DetailsStore {
  /** Changes the details of these images, each named once, and audits what changed. */
  change(act: ImageAct, changes: readonly DetailsChange[]): Promise<readonly ChangedDetails[]>
  /** The details of these images, without those that have none. */
  find(names: readonly string[]): Promise<ReadonlyMap<string, ImageDetails>>
  /** Images with details by name, from the first after `after`. */
  page(after: string, limit: number): Promise<readonly DescribedImage[]>
  /** Removes the details and looks of these images, or the details of those absent since then; returns how many had some. */
  end(names: readonly string[], absentSince?: number): Promise<number>
  /** The images with details that are absent from the store, and since when. */
  absent(): Promise<ReadonlyMap<string, number>>
  /** Notes that these images are absent since then, unless they were before; null: they are there. */
  noteAbsent(names: readonly string[], since: number | null): Promise<void>
  /** Deletes the traces of details that ended before this time. */
  forget(before: number): Promise<void>
  /** `version` grows with every change. Changes up to `forgotten` may be missing from `changes`. */
  versions(): Promise<{ readonly version: number; readonly forgotten: number }>
  /** Images that were changed after this position, in the order of versions and names. */
  changes(after: ChangePosition, limit: number): Promise<readonly ChangedMarks[]>
}
