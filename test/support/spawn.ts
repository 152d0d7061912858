import { type ChildProcess, type SpawnOptions, spawn as spawnProcess } from 'node:child_process'
import { tmpdir } from 'node:os'
import { atEndOfFile } from './at-end.ts'

const children = new Set<ChildProcess>()

/**
 * Like Node's own, but the process ends with the file at the latest, even if a test failed or timed out, and runs in
 * the temporary folder, so that it does not read the `.env` of the checkout.
 */
export const spawn = ((command: string, args: readonly string[], options: SpawnOptions) => {
  const child = spawnProcess(command, args, { cwd: tmpdir(), ...options })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}) as typeof spawnProcess

const endAll = () => {
  for (const child of children) child.kill('SIGKILL')
}

// A running child would keep this process waiting. Not at the end of the suite that imported this first.
atEndOfFile(endAll)
process.once('exit', endAll)
