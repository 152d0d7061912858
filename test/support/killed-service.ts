import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freePort } from './free-port.ts'
import { highLimits } from './limits.ts'
import { spawn } from './spawn.ts'
import { until } from './until.ts'

export const owner = { username: 'keeper', password: 'correct horse of the keeper' }

export interface Api {
  readonly url: string
  readonly child: ChildProcess
}

/** The real service in its own process, which may be killed; ready when this resolves. `by`: the command to run it. */
export async function start(dataDir: string, by: readonly string[] = [], port?: number): Promise<Api> {
  port ??= await freePort()
  const [command = '', ...args] = [...by, process.execPath, join(import.meta.dirname, '../../src/bin/api.ts')]
  const child = spawn(command, args, {
    env: {
      ...highLimits,
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: String(port),
      OWNER_USERNAME: owner.username,
      OWNER_PASSWORD: owner.password,
      SAMPLE_IMAGES: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk).slice(-4000)
    })
  const url = `http://127.0.0.1:${port}`
  const isUp = () => {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}:\n${output}`)
    return isReady(url)
  }
  await until(isUp, 'the service to be ready').catch((error) => {
    child.kill('SIGKILL')
    throw error
  })
  return { url, child }
}

export async function end({ child }: Api): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

const isReady = (url: string) =>
  fetch(`${url}/ready`).then(
    async (response) => (await response.text()) !== '' && response.ok,
    () => false,
  )

export function integrityOf(dataDir: string): string[] {
  const database = new DatabaseSync(join(dataDir, 'menagerie.db'), { readOnly: true })
  try {
    const rows = database.prepare('PRAGMA integrity_check').all()
    return rows.map(({ integrity_check }) => String(integrity_check)).filter((line) => line !== 'ok')
  } finally {
    database.close()
  }
}
