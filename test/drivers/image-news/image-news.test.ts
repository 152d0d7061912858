import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Channel } from '../../../src/drivers/image-news/channel.ts'
import type { Transport } from '../../../src/drivers/image-news/link.ts'
import { openNews } from '../../../src/drivers/image-news/open-news.ts'
import { postgresTransport } from '../../../src/drivers/image-news/postgres.ts'
import { redisTransport } from '../../../src/drivers/image-news/redis.ts'
import type { ImageChange } from '../../../src/images/image-news.ts'
import type { WalkStep } from '../../../src/images/positions.ts'
import { atEnd } from '../../support/at-end.ts'
import { pgbouncerSkip, startPgbouncer } from '../../support/pgbouncer.ts'
import { queryServer, stores } from '../../support/stores.ts'
import { turns, until } from '../../support/until.ts'
import { ownRedis, ownRedisSkip } from '../counters/redis-stage.ts'

interface Stage {
  readonly transport: Transport
  /** As another program would. */
  say(text: string): Promise<unknown>
  /** Ends the connections of everybody who listens. */
  kill(): Promise<unknown>
}

const isListening = "application_name = 'menagerie image news' AND datname = current_database()"

const stages: readonly { name: string; skip: string | false; make(): Promise<Stage> }[] = [
  {
    name: 'Redis',
    skip: ownRedisSkip,
    async make() {
      const redis = await ownRedis()
      await redis.start()
      return {
        transport: await redisTransport(`${redis.url}/3`),
        say: (text) => redis.send('PUBLISH', 'menagerie:images:3', text),
        kill: () => redis.send('CLIENT', 'KILL', 'TYPE', 'pubsub'),
      }
    },
  },
  {
    name: 'PostgreSQL',
    skip: stores[1]?.skip ?? false,
    async make() {
      const { url, query } = await makeDatabase()
      return {
        transport: postgresTransport(url, 'DATABASE_URL'),
        say: (text) => query(`SELECT pg_notify('menagerie_images', $$${text}$$)`),
        kill: () => query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${isListening}`),
      }
    },
  },
]

async function makeDatabase() {
  const { env } = (await stores[1]?.make()) ?? assert.fail()
  const url = env.DATABASE_URL as string
  return { url, query: (text: string) => queryServer(text, url) }
}

function instance(transport: Transport, folder?: string | null) {
  const [heard, steps, said]: [ImageChange[], WalkStep[], string[]] = [[], [], []]
  const state = { gaps: 0 }
  const note = (first: unknown, text: unknown = first) => void said.push(String(text))
  const news = new Channel(transport, { debug() {}, warn: note } as never, folder)
  atEnd(() => news.close())
  const start = () =>
    news.start({
      onChange: (change) => void heard.push(change),
      onSteps: (some) => void steps.push(...some),
      onGap: () => void state.gaps++,
    })
  return { news, heard, steps, said, state, start }
}

for (const { name, skip, make } of stages)
  describe(`News of images over ${name}`, { skip }, () => {
    it('reach every other instance in order, while foreign messages reach nobody', async () => {
      const { transport, say } = await make()
      const [one, two, three] = [instance(transport), instance(transport), instance(transport)]
      const isLong = { key: `fox/${'ü'.repeat(510)}`, isGone: false }
      // Before there is a connection it waits.
      one.news.publish(isLong)
      for (const each of [two, three, one]) await each.start()
      for (const foreign of [
        ...['', 'null', '{', '[]', '{"version":1}', `{"version":2,"from":"x","key":"fox/a.png","isGone":true}`],
        ...[
          '{"version":1,"from":"x","key":7,"isGone":true}',
          '{"version":1,"from":"x","key":"fox/a.png"}',
          '1e999',
          // A question of release 0.2.
          '{"version":1,"from":"x","missedMs":100000,"isOfGone":false}',
          '{"version":1,"from":"x","steps":[null,7,{"name":"a"},{"name":"a","round":"1","place":2}]}',
        ],
      ])
        await say(foreign)
      const changes = Array.from({ length: 50 }, (_, n) => ({ key: `fox/${n}.png`, isGone: n % 2 === 0 }))
      for (const change of changes) one.news.publish(change)
      const name = '019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3 '.padEnd(150, 'a')
      const steps = Array.from({ length: 80 }, (_, n) => ({ name, round: 2 ** 40 + n, place: 2 ** 53 - 1 - n }))
      one.news.publishSteps(steps)
      await until(() => two.heard.length > 50 && three.heard.length > 50)
      await until(() => two.steps.length === 80 && three.steps.length === 80)
      assert.deepEqual(two.steps, steps)
      for (const { heard, state } of [two, three]) {
        assert.deepEqual(heard, [isLong, ...changes])
        assert.equal(state.gaps, 0)
      }
      assert.deepEqual(one.heard, [])
    })

    it('warn once of instances on the same database whose images are elsewhere', async () => {
      const { transport } = await make()
      const [one, shared, other, bucket] = ['a', 'a', 'b', null].map((folder) => instance(transport, folder))
      const silent = instance(transport)
      for (const each of [one, shared, silent]) await each?.start()
      await turns()
      assert.deepEqual([...(one?.said ?? []), ...(shared?.said ?? [])], [])
      for (const each of [other, bucket]) await each?.start()
      await until(() => [one, shared, other, bucket].every((each) => each?.said.length))
      for (const each of [one, shared, other, bucket]) {
        assert.equal(each?.said.length, 1)
        assert.match(each?.said[0] ?? '', /^another instance on DATABASE_URL has its images elsewhere.*S3_ENDPOINT/)
      }
      assert.deepEqual(silent.said, [])
    })

    it('are sent before the connection is closed', async () => {
      const { transport } = await make()
      const [one, two] = [instance(transport), instance(transport)]
      for (const each of [one, two]) await each.start()
      for (let n = 0; n < 100; n++) one.news.publish({ key: `fox/${n}.png`, isGone: false })
      await one.news.close()
      await until(() => two.heard.length === 100)
    })

    it('are sent once the lost connection is replaced, and every instance is told of the gap', async () => {
      const { transport, kill } = await make()
      const [one, two] = [instance(transport), instance(transport)]
      await one.start()
      await two.start()
      await kill()
      const missed = { key: 'fox/a.png', isGone: true }
      one.news.publish(missed)
      await until(() => one.state.gaps === 1 && two.state.gaps === 1)
      one.news.publish({ ...missed, key: 'fox/b.png' })
      await until(() => two.heard.at(-1)?.key === 'fox/b.png')
      const late = instance(transport)
      await late.start()
      await one.news.close()
      one.news.publish({ key: 'fox/c.png', isGone: true })
      await turns()
      assert.deepEqual([late.heard, late.state.gaps], [[], 0])
    })
  })

describe('News of images', () => {
  it('wait for a Redis that is away, and leave it to the counters to log that', { skip: ownRedisSkip }, async () => {
    const redis = await ownRedis('--requirepass', 'hunter2')
    const url = redis.url.replace('//', '//:hunter2@')
    const transport = await redisTransport(url)
    const [one, two] = [instance(transport), instance(transport)]
    await Promise.all([one.start(), two.start()])
    one.news.publish({ key: 'fox/a.png', isGone: true })
    one.news.publish({ key: 'fox/a.png', isGone: false })
    await redis.start()
    await until(() => one.state.gaps === 1 && two.state.gaps === 1)
    one.news.publish({ key: 'fox/b.png', isGone: false })
    await until(() => two.heard.some(({ key }) => key === 'fox/b.png'))
    assert.deepEqual(one.said, [])
  })

  it('log one line if Redis refuses the channel', { skip: ownRedisSkip }, async () => {
    const redis = await ownRedis()
    await redis.start()
    await redis.send('ACL', 'SETUSER', 'default', 'resetchannels')
    const { news, said, start } = instance(await redisTransport(redis.url))
    await start()
    await until(() => said.length > 0)
    await news.close()
    assert.deepEqual(said, ['Redis does not let instances share changes of images; they show at the next listing'])
    await redis.close()
  })

  it('are not shared through PgBouncer, which is logged as one line', { skip: pgbouncerSkip }, async () => {
    const { url } = await makeDatabase()
    const pooler = await startPgbouncer(url)
    const { news, said, start } = instance(postgresTransport(pooler.url, 'DATABASE_URL'))
    await start()
    news.publish({ key: 'fox/a.png', isGone: true })
    await until(() => said.length > 0)
    assert.deepEqual(said, [
      'changes of images are not shared with other instances: DATABASE_URL is a connection pooler, which cannot LISTEN; set STATUS_DATABASE_URL to the PostgreSQL server itself, or REDIS_URL',
    ])
  })

  it('need Redis or a second connection to PostgreSQL; an instance that shares neither does without', async () => {
    const said: string[] = []
    const log = { debug: assert.fail, warn: (text: unknown) => void said.push(String(text)) }
    const alone = { REDIS_URL: null, DATABASE_URL: null, STATUS_DATABASE_URL: 'postgres://h', DATABASE_POOL_MAX: 1 }
    assert.equal(await openNews(alone, log), null)
    assert.deepEqual(said, [])
    assert.equal(await openNews({ ...alone, DATABASE_URL: 'postgres://h' }, log), null)
    assert.match(said.join(), /^changes of images are not shared .* DATABASE_POOL_MAX leaves no connection/)
  })
})
