import { openConnection } from './connection.ts'
import type { Gate } from './figures.ts'
import { type LimitsOptions, measureLimits, printLimits, routesOf } from './limits.ts'
import { commandsDuring, withRedis } from './redis.ts'
import { startApi } from './server.ts'

const requests = 500

/** Limits that instances share: how often a request asks Redis, and what that costs the one who asks. */
export async function benchSharedLimits({ folder, limitRounds }: LimitsOptions): Promise<Gate[]> {
  return withRedis(folder, process.env.TEST_REDIS_URL, async (url) => {
    if (url === null) {
      console.log('\nLimits over Redis: not measured, there is neither TEST_REDIS_URL nor a redis-server')
      return []
    }
    await measureCost(folder, url, Math.ceil(limitRounds / 2))
    return [await countRoundTrips(folder, url)]
  })
}

async function measureCost(folder: string, url: string, rounds: number): Promise<void> {
  const server = await startApi(folder, { REDIS_URL: url }, 'limits-switch.ts')
  try {
    const { random, image, list } = await routesOf(server)
    const found = await measureLimits(server, [random, list, image], rounds)
    console.log('\nLimits over Redis: CPU of the service alone, as in memory, for the record')
    printLimits(found)
  } finally {
    await server.stop()
  }
}

/** One after another, so that no two of them could share a round trip. */
async function countRoundTrips(folder: string, url: string): Promise<Gate> {
  const server = await startApi(folder, { REDIS_URL: url })
  try {
    const { random } = await routesOf(server)
    const connection = await openConnection(server.port)
    const sent = await commandsDuring(url, async () => {
      for (let i = 0; i < requests; i += 1) {
        const { status, body } = await connection.send(random.requests[0] as string)
        if (status !== 200) throw new Error(`${random.name} was answered ${status}: ${body}`)
      }
    })
    connection.close()
    const commands = [...sent].map(([name, count]) => `${count} ${name}`).join(', ')
    console.log(`  ${requests} requests ${random.name}, one after another: ${commands || 'no command'}`)
    const each = [...sent.values()].reduce((sum, count) => sum + count, 0) / requests
    return {
      promise: 'limits over Redis take at most 1 round trip a request',
      figure: each.toFixed(3),
      // None at all would mean that the service counts in its own memory.
      held: each > 0.99 && each <= 1,
    }
  } finally {
    await server.stop()
  }
}
