import type { TestContext } from 'node:test'
import { createReporter, type ReporterOptions } from '../../src/reporter/reporter.ts'
import { heardLog, ScriptedWorker } from './worker-stage.ts'

export const limits = { concurrency: 1 }

/** A reporter and its worker, on mocked timers. */
export async function stage(t: TestContext, options: Partial<ReporterOptions> = {}, others: readonly string[] = []) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const worker = await ScriptedWorker.start()
  const log = heardLog()
  const reporter = createReporter({ url: [worker.url, ...others], log, random: () => 0.5, ...options })
  t.after(async () => {
    reporter.close()
    await worker.close()
  })
  return { worker, reporter, log, pass: (ms: number) => t.mock.timers.tick(ms) }
}
