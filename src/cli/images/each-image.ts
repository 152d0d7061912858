import type { Kind } from '../../images/kinds.ts'
import type { Cli } from '../cli-context.ts'
import { createProgress, type Part, type Screen } from '../progress.ts'
import { measure, type OpenImages, type ServedObject, servedObjects, withStore } from './image-store.ts'
import { work } from './parallel.ts'

export interface EachImage {
  readonly kind: Kind | undefined
  readonly parallel: number
  readonly signal: AbortSignal
  /** Called once the store is open. Returns what to do with each object. */
  begin(images: OpenImages): Promise<(object: ServedObject, part: Part) => Promise<void>>
  failed(object: ServedObject, reason: string): void
}

/** Processes every served image, with a progress bar. Returns why it was aborted; null if it was not. */
export async function eachImage(cli: Cli, screen: Screen, options: EachImage): Promise<string | null> {
  const { kind, parallel, signal, begin, failed } = options
  const progress = createProgress(screen, cli.clock)
  return withStore(cli, 'fail', async (images) => {
    const act = await begin(images)
    try {
      if (progress.isShown) await measure(images, kind, progress, signal)
      const items = servedObjects(images, kind, signal)
      return await work({
        items,
        parallel,
        signal,
        progress,
        async act(object, part) {
          part.is(object.size)
          await act(object, part)
        },
        failed,
      })
    } finally {
      progress.end()
    }
  })
}
