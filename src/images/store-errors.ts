export class NoSuchBucket extends Error {
  override readonly name = 'NoSuchBucket'
}

/** Marks the error of a write or delete that did not happen; after any other error, it may have. */
export function asUnchanged(error: unknown): Error {
  const known = error instanceof Error ? error : new Error(String(error), { cause: error })
  return Object.assign(known, { isUnchanged: true })
}

export const isUnchanged = (error: unknown): boolean =>
  error instanceof NoSuchBucket || (error instanceof Error && 'isUnchanged' in error)
