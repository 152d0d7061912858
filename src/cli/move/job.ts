import type { Config } from '../../config/config.ts'
import type { Cli } from '../cli-context.ts'
import { createProgress, type Progress, type Screen } from '../progress.ts'

/** A place is described by the settings of a service that uses it. */
export interface Job {
  readonly cli: Cli
  readonly from: Config
  readonly to: Config
  readonly signal: AbortSignal
  withProgress<T>(name: string, act: (progress: Progress) => Promise<T>): Promise<T>
}

export function createJob(cli: Cli, screen: Screen, places: Pick<Job, 'from' | 'to'>, signal: AbortSignal): Job {
  return {
    cli,
    ...places,
    signal,
    async withProgress(name, act) {
      const progress = createProgress(screen, cli.clock, name)
      try {
        return await act(progress)
      } finally {
        progress.end()
      }
    },
  }
}
