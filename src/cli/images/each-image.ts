import type { Kind } from '../../images/kinds.ts'
import type { Cli } from '../cli-context.ts'
import { Failed } from '../failure.ts'
import { interruptible } from '../interrupt.ts'
import { createProgress, type ProgressPart, type Screen } from '../progress.ts'
import { measure, type OpenImages, type ServedObject, servedObjects, withStore } from './image-store.ts'
import { work } from './parallel.ts'

export interface EachImageOptions {
  readonly kind?: Kind
  readonly parallel: number
}

interface EachImage {
  /** Called once the store is open. Returns what to do with each object. */
  begin(images: OpenImages, signal: AbortSignal): Promise<(object: ServedObject, part: ProgressPart) => Promise<void>>
  failed(object: ServedObject, reason: string): void
  /** The outcome for scripts and for people. `failure` makes the command fail. */
  report(): { readonly document: object; readonly lines: readonly string[]; readonly failure: string | null }
}

/** Processes every served image, with a progress bar, and prints the report, even if interrupted. */
export function eachImage(cli: Cli, screen: Screen, options: EachImageOptions, what: EachImage): Promise<void> {
  const { kind, parallel } = options
  return interruptible(cli, async (signal) => {
    const givenUp = await withStore(cli, 'fail', async (images) => {
      const each = await what.begin(images, signal)
      const act = (object: ServedObject, part: ProgressPart) => {
        part.is(object.size)
        return each(object, part)
      }
      using progress = createProgress(screen, cli.clock)
      if (progress.isShown) await measure(images, kind, progress, signal)
      const items = servedObjects(images, kind, signal)
      const { backoffMs } = cli
      return await work({ items, parallel, signal, progress, backoffMs, act, failed: what.failed })
    })
    const { document, lines, failure } = what.report()
    await cli.out.print({ ...document, isInterrupted: signal.aborted, givenUp }, lines.join('\n'))
    signal.throwIfAborted()
    const why = givenUp ?? failure
    if (why !== null) throw new Failed(why)
  })
}
