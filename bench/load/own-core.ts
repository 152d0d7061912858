import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

const cores = availableParallelism()

export const firstCore = '0'
export const lastCore = String(cores - 1)

/** This process, and those that it starts from then on. False without taskset. */
export const keepTo = (list: string): boolean =>
  spawnSync('taskset', ['--cpu-list', '--pid', list, String(process.pid)], { stdio: 'ignore' }).status === 0

/**
 * Sends load from the last core only. Start servers before: a process that is started meanwhile would be held there, too.
 * Without taskset or a second core, the scheduler decides.
 */
export async function onOwnCore<T>(act: () => Promise<T>): Promise<T> {
  if (cores < 2 || !keepTo(lastCore)) return act()
  try {
    return await act()
  } finally {
    keepTo(`${firstCore}-${lastCore}`)
  }
}
