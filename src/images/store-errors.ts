export class NoSuchBucket extends Error {
  override readonly name = 'NoSuchBucket'
}

/** An error of a write or delete that did not happen; after any other error it may have. */
export interface Unchanged {
  readonly isUnchanged: true
}

export function asUnchanged(error: unknown): Error & Unchanged {
  const known = error instanceof Error ? error : new Error(String(error), { cause: error })
  return Object.assign(known, { isUnchanged: true as const })
}

export const isUnchanged = (error: unknown): boolean =>
  error instanceof NoSuchBucket || (error instanceof Error && (error as Partial<Unchanged>).isUnchanged === true)
