import type { ImageAct } from './image-act.ts'

export const reportActions = ['keep', 'hide', 'delete'] as const
export type ReportAction = (typeof reportActions)[number]

export interface ReportReason {
  readonly userId: string
  readonly username: string
  readonly reason: string
  readonly at: number
}

/** All reports of an image until they are resolved together. */
export interface Report {
  readonly id: string
  readonly name: string
  /** The image's ETag when it was first reported. */
  readonly etag: string
  readonly count: number
  /** Newest first; those of deleted users are gone. */
  readonly reasons: readonly ReportReason[]
  readonly createdAt: number
  readonly updatedAt: number
  /** Null while it is open. */
  readonly resolution: { readonly action: ReportAction; readonly at: number; readonly by: string | null } | null
  /** Whether the image is hidden now. */
  readonly isHidden: boolean
}

export interface ReportPage {
  /** Open reports: oldest first, by `createdAt`. Closed reports: newest first, by time of resolution. */
  readonly isOpen: boolean
  readonly after: { readonly value: number; readonly id: string } | null
  readonly limit: number
}

/** The port of reports and hidden images. Every method throws Unavailable if the database is down. */
export interface Reports {
  /** Adds to the open report of the image, or opens one. */
  add(
    act: ImageAct,
    image: { readonly name: string; readonly etag: string },
    reason: string,
  ): Promise<'added' | 'repeated' | 'hidden'>
  page(page: ReportPage): Promise<Report[]>
  find(id: string): Promise<Report | null>
  /**
   * Closes an open report; `hide` and `delete` hide the image in the same transaction. Returns the report as it was
   * before: null if there is none, with a resolution if it was already closed.
   */
  resolve(act: ImageAct, id: string, action: ReportAction): Promise<Report | null>
  /** After a resolution by `delete`: undoes what `resolve` did if the object was not deleted. */
  settle(act: ImageAct, before: Report, isDeleted: boolean): Promise<void>
  /** False if the image is already hidden. */
  hide(act: ImageAct, name: string): Promise<boolean>
  /** False if the image is not hidden. */
  unhide(act: ImageAct, name: string): Promise<boolean>
  /**
   * Gives the reports of an image to its new name, which is hidden if the image was hidden meanwhile. An open one stays
   * if the new name has one.
   */
  move(act: ImageAct, from: string, to: string): Promise<void>
  /** The same for what was reported or hidden after `move`; the old name is no longer hidden. */
  follow(from: string, to: string): Promise<void>
  /** Changes with every change of `hidden`. */
  hiddenVersion(): Promise<number>
  hidden(): Promise<string[]>
}
