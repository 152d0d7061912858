import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { atEnd } from '../support/at-end.ts'
import { haproxy, missing } from '../support/balancer-programs.ts'
import { seedOr } from '../support/seed.ts'
import { isFullSize, sized } from '../support/size.ts'
import { testFolder } from '../support/test-folder.ts'
import { seededRandom } from '../support/uniform.ts'
import { until } from '../support/until.ts'
import { startCluster } from './cluster.ts'
import { startHistory } from './history.ts'
import { unexplained } from './serial-order.ts'
import { missingServices, startServices } from './services.ts'

const seed = seedOr(Date.now() % 1e9)
const clients = 16
const accounts = 12
const kills = sized(2, 2, 8)

const skip = !isFullSize ? 'in npm run test:all' : missing(haproxy) || missingServices()

describe(`Two instances, ${clients} clients, ${kills} kills, seed ${seed}`, { skip }, () => {
  it('have a history that some serial order of all acts explains', { timeout: 300_000 }, async (t) => {
    const services = await startServices()
    atEnd(services.stop)
    const cluster = await startCluster({ ...services, folder: testFolder(), balancer: haproxy })
    atEnd(cluster.close)
    const random = seededRandom(seed)
    const login = await fetch(`${cluster.url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(cluster.owner),
    })
    const { accessToken } = (await login.json()) as { accessToken: string }
    const history = await startHistory(cluster.url, accessToken, accounts, `h${seed}`)
    const urls = cluster.instances.map(({ url }) => url)
    const running = Array.from({ length: clients }, (_, index) => history.client(urls, seed + index))
    for (let kill = 0; kill < kills; kill++) {
      const victim = cluster.instances[kill % 2] ?? assert.fail()
      const before = operationsOf(history.people)
      const enough = 100 + Math.floor(random() * 100)
      await until(() => operationsOf(history.people) >= before + enough)
      await victim.stop('SIGKILL')
      await victim.start()
    }
    history.end()
    await Promise.all(running)
    for (const { names, initial, operations } of history.people)
      assert.equal(
        unexplained(initial, operations),
        null,
        `${names[0]}: ${operations.map(({ text }) => text).join('\n')}`,
      )
    const open = history.people.flatMap(({ operations }) => operations.filter(({ isAnswered }) => !isAnswered))
    t.diagnostic(`${operationsOf(history.people)} acts, ${open.length} without an answer`)
  })
})

const operationsOf = (people: readonly { readonly operations: readonly unknown[] }[]) =>
  people.reduce((sum, { operations }) => sum + operations.length, 0)
