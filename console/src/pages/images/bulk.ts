import { MenagerieError } from '../../../../client/src/client.ts'
import { sentenceOf } from '../../parts/sentences.ts'
import { withPatience } from '../../session/patience.ts'
import { onRefusal } from '../../session/queries.ts'

export interface Failed<T> {
  readonly item: T
  readonly error: unknown
  /** It is no longer there. */
  readonly isGone: boolean
}

export interface Outcome<T> {
  readonly done: readonly T[]
  readonly failed: readonly Failed<T>[]
}

const goneTexts = ['Image not found', 'Object not found', 'Image is already hidden']

/** Whether the image is no longer where the console has seen it. */
export const isGone = (error: unknown) =>
  error instanceof Gone || (error instanceof MenagerieError && goneTexts.includes(error.text))

/** For `catch`: somebody else was faster, so that it is as it should be. */
export const unless = (text: string) => (error: unknown) => {
  if (!(error instanceof MenagerieError && error.text === text)) throw error
}

export class Gone extends Error {
  constructor() {
    super(sentenceOf('Image not found'))
  }
}

/**
 * One after the other. A service that asks for patience gets it; what fails otherwise is told at the end, and the others
 * go on. Ends early when aborted.
 */
export async function forEachItem<T>(
  items: readonly T[],
  act: (item: T, signal: AbortSignal) => Promise<unknown>,
  {
    signal,
    onProgress = () => {},
    onWait,
  }: {
    readonly signal: AbortSignal
    readonly onProgress?: (outcome: Outcome<T>) => void
    readonly onWait?: (why: unknown) => void
  },
): Promise<Outcome<T>> {
  let outcome: Outcome<T> = { done: [], failed: [] }
  for (const item of items) {
    if (signal.aborted) break
    const error = await withPatience(() => act(item, signal), signal, onWait).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    if (signal.aborted && error !== null) break
    outcome =
      error === null
        ? { ...outcome, done: [...outcome.done, item] }
        : { ...outcome, failed: [...outcome.failed, { item, error, isGone: isGone(error) }] }
    onProgress(outcome)
    // The session has ended, or the role has changed: the others would fail as well.
    if (error instanceof MenagerieError && (error.status === 401 || error.status === 403)) {
      await onRefusal(error)
      break
    }
  }
  return outcome
}
