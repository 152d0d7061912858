import { type ChildProcess, type SpawnOptions, spawn as spawnProcess } from 'node:child_process'
import { tmpdir } from 'node:os'
import { atEndOfFile } from './at-end.ts'

const children = new Set<ChildProcess>()

/**
 * As Node's own; but what it starts ends with the file at the latest, also where a test failed or took too long, and
 * runs in the temporary folder, so that it does not read the `.env` of the checkout.
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

// One that still runs would keep this process waiting for it. Not at the end of the suite that imported this first.
atEndOfFile(endAll)
process.once('exit', endAll)
