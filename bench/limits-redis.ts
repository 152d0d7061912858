import { get, openConnection } from './connection.ts'
import type { Gate } from './figures.ts'
import { kind } from './images-pool.ts'
import { tokenOn, untilServed } from './limits.ts'
import { commandsDuring } from './redis.ts'
import { startApi } from './server.ts'

const requests = 500
const path = `/images/${kind}/random`

/** Limits that instances share: how often a request asks Redis. One after another, so that no two share a round trip. */
export async function benchSharedLimits(folder: string, url: string | undefined): Promise<Gate[]> {
  if (!url) {
    console.log('\nLimits over Redis: not measured without TEST_REDIS_URL')
    return []
  }
  const server = await startApi(folder, { REDIS_URL: url })
  try {
    const request = get(path, await tokenOn(server.port))
    await untilServed(server.port, request)
    const connection = await openConnection(server.port)
    const sent = await commandsDuring(url, async () => {
      for (let i = 0; i < requests; i += 1) {
        const { status, body } = await connection.send(request)
        if (status !== 200) throw new Error(`GET ${path} was answered ${status}: ${body}`)
      }
    })
    connection.close()
    const commands = [...sent].map(([name, count]) => `${count} ${name}`).join(', ')
    console.log(`\nLimits over Redis: ${requests} requests, one after another: ${commands || 'no command'}`)
    const each = [...sent.values()].reduce((sum, count) => sum + count, 0) / requests
    return [
      {
        promise: 'limits over Redis take at most 1 round trip a request',
        figure: each.toFixed(3),
        // None at all would mean that the service counts in its own memory.
        held: each > 0.99 && each <= 1,
      },
    ]
  } finally {
    await server.stop()
  }
}
