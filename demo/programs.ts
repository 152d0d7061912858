import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startApi } from '../src/api/api.ts'
import { readConfig } from '../src/config/config.ts'
import type { Clock } from '../src/lib/clock.ts'
import { startWorker } from '../src/worker/worker.ts'

const host = '127.0.0.1'

interface Options {
  readonly dataDir: string
  /** 0: any free one. */
  readonly port?: number
  readonly env?: Readonly<Record<string, string>>
  readonly clock?: Clock
  /** How long an image may take. */
  readonly resizeMs?: number
}

export type Programs = Awaited<ReturnType<typeof startPrograms>>

/** The API and the status worker on the loopback interface. Settings of this machine, and its .env, are not read. */
export async function startPrograms({ dataDir, port = 0, env: own = {}, clock, resizeMs }: Options) {
  // It has whatever the worker pushes.
  const page = createServer((request, response) => request.resume().on('end', () => response.writeHead(204).end()))
  await once(page.listen(0, host), 'listening')
  const env = {
    DATA_DIR: dataDir,
    HOST: host,
    STATUS_HOST: host,
    LOG_LEVEL: 'error',
    SAMPLE_IMAGES: 'false',
    STATUS_SERVICE_KIND: 'webhook',
    STATUS_SERVICE_TOKEN: 'menagerie demo',
    STATUS_SERVICE_URL: `http://${host}:${(page.address() as AddressInfo).port}/`,
    ...own,
  }
  const overrides = clock ? { clock } : {}
  const worker = await startWorker(readConfig(env), { ...overrides, port: 0 })
  const workerUrl = `http://${host}:${worker.listening.port}`
  // The reference shows the worker at STATUS_PORT.
  const ofWorker = { STATUS_WORKER_URL: workerUrl, STATUS_PORT: String(worker.listening.port) }
  const images = resizeMs === undefined ? {} : { images: { resizer: { timeoutMs: resizeMs } } }
  const api = await startApi(readConfig({ ...env, ...ofWorker }), { ...overrides, ...images, port })
  await api.checked
  return {
    url: `http://${host}:${api.listening.port}`,
    workerUrl,
    /** What its start logs. */
    advice: api.advice,
    async beat(id: string, heartbeat: object): Promise<void> {
      const [headers, body] = [{ 'content-type': 'application/json' }, JSON.stringify(heartbeat)]
      const { status } = await fetch(`${workerUrl}/heartbeat/${id}`, { method: 'POST', headers, body })
      if (status !== 200) throw new Error(`The heartbeat of ${id} was answered with ${status}`)
    },
    async close(graceMs?: number): Promise<void> {
      await api.close(graceMs)
      await worker.close(graceMs)
      page.close()
    },
  }
}
