import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { spawn } from './spawn.ts'
import { until } from './until.ts'

export interface Process {
  readonly url: string
  readonly child: ChildProcess
}

/** The real worker, in its own process that may be killed; it responds when this resolves. */
export async function start(env: Record<string, string>): Promise<Process> {
  const port = await freePort()
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/bin/status-worker.ts')], {
    env: { PATH: process.env.PATH, STATUS_PORT: String(port), ...env },
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}`
  await until(() =>
    fetch(`${url}/livez`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return { url, child }
}

export const kill = async ({ child }: Process) => {
  child.kill('SIGKILL')
  await once(child, 'exit')
}
