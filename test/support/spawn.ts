import { type ChildProcess, spawn as spawnProcess } from 'node:child_process'
import { atEnd } from './at-end.ts'

const children = new Set<ChildProcess>()

/** As Node's own; but what it starts ends with the file at the latest, also where a test failed or took too long. */
export const spawn = ((...all: Parameters<typeof spawnProcess>) => {
  const child = spawnProcess(...all)
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}) as typeof spawnProcess

const endAll = () => {
  for (const child of children) child.kill('SIGKILL')
}

// One that still runs would keep this process waiting for it.
atEnd(endAll)
process.once('exit', endAll)
