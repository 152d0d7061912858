import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

const pin = (cores: string) =>
  spawnSync('taskset', ['--cpu-list', '--pid', cores, String(process.pid)], { stdio: 'ignore' }).status === 0

/**
 * Sends load from the last core only. Start servers before: a process that is started meanwhile would be held there, too.
 * Without taskset or a second core, the scheduler decides.
 */
export async function onOwnCore<T>(act: () => Promise<T>): Promise<T> {
  const cores = availableParallelism()
  if (cores < 2 || !pin(String(cores - 1))) return act()
  try {
    return await act()
  } finally {
    pin(`0-${cores - 1}`)
  }
}
