import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const moods = ['well', 'fails', 'well', 'hangs', 'well', 'resets'] as const

/** A status page that works half of the time, changing every few seconds. */
export async function openFlappingPage(moodMs: number) {
  const seen = { pushes: 0, refused: 0 }
  const startedAt = performance.now()
  const mood = () => moods[Math.floor((performance.now() - startedAt) / moodMs) % moods.length]
  const server = createServer(async (request, response) => {
    request.resume()
    await once(request, 'end').catch(() => {})
    const now = mood()
    if (now === 'well') seen.pushes += 1
    else seen.refused += 1
    if (now === 'resets') return void response.socket?.resetAndDestroy()
    if (now === 'hangs') await sleep(moodMs, undefined, { ref: false })
    if (!response.destroyed) response.writeHead(now === 'well' ? 202 : 500).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    seen,
    url: `http://127.0.0.1:${port}`,
    close: () => server.close().closeAllConnections(),
  }
}
