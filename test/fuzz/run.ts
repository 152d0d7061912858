import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertProperty } from '../support/seed.ts'
import { spawn } from '../support/spawn.ts'
import { operationsOf } from './document.ts'
import { only, seconds, seed } from './options.ts'
import { parsers } from './parsers.ts'
import { fuzzRoutes } from './routes.ts'
import { fuzzSockets, problemOf } from './sockets.ts'
import { failuresLogged, startBoth } from './stage.ts'

/* Random requests, bytes and files: node test/fuzz/run.ts [--seconds 120] [--seed N] [--only <text of a name>] */

console.log(`seed ${seed}; --seed ${seed} repeats this run`)

const operations = [...operationsOf('api', 'openapi.json'), ...operationsOf('worker', 'openapi.worker.json')].filter(
  ({ name }) => name.includes(only),
)

test('every reply of every route is declared, fits the document and is no failure', {
  skip: operations.length === 0,
}, async () => {
  const { running, people } = await startBoth()
  const { findings, counts, statuses, memory } = await fuzzRoutes({ operations, running, people, seconds, seed })
  for (const [name, count] of counts)
    console.log(`${count} ${name}: ${[...(statuses.get(name) ?? [])].sort().join(' ')}`)
  console.log(`resident memory: ${memory.before.toFixed()} MiB, at the end ${memory.after.toFixed()} MiB`)
  assert.deepEqual(
    [...findings].map((each) => each.join('\n  ')),
    [],
  )
  assert.deepEqual(
    [...counts].filter(([, count]) => count === 0),
    [],
  )
  assert.deepEqual(failuresLogged(running.out), [])
  assert.equal(running.child.exitCode, null)
  for (const url of [running.url, running.workerUrl]) assert.equal((await fetch(`${url}/health`)).status, 200)
})

const isOfSockets = 'sockets'.includes(only)

test('every connection with broken bytes gets complete responses below 500, or a close', {
  skip: !isOfSockets,
}, async () => {
  assert.equal(problemOf('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'), null)
  for (const wrong of ['HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}', 'HTTP/1.1 500 No\r\n\r\n', 'nonsense'])
    assert.notEqual(problemOf(wrong), null, wrong)
  const { running } = await startBoth()
  const { count, answered, findings } = await fuzzSockets([running.port, running.statusPort], {
    seconds: seconds / 6,
    seed,
  })
  console.log(`${count} connections, ${answered} of them with a response`)
  assert.notEqual(answered, 0)
  assert.deepEqual(findings.slice(0, 10), [])
  assert.deepEqual(failuresLogged(running.out), [])
  for (const url of [running.url, running.workerUrl]) assert.equal((await fetch(`${url}/health`)).status, 200)
})

for (const [name, property, perSecond] of parsers)
  test(`parsers: ${name} are read as they were written, or refused`, { skip: !'parsers'.includes(only) }, () =>
    assertProperty(property, { seed, numRuns: perSecond * Math.max(seconds, 1) }),
  )

/** These have properties of their own, which repeat with the seed. */
const suites = [
  ...['test/http/conditional-requests.test.ts', 'test/images/names.test.ts', 'test/images/upload-names.test.ts'],
  ...['test/lib/address.test.ts', 'test/images/shapes/read-header.test.ts', 'test/images/strip.test.ts'],
]

test('parsers: names, ranges, conditions, addresses, image headers and the stripper pass their properties', {
  skip: !'parsers'.includes(only),
}, async () => {
  const env = { ...process.env, TEST_SEED: String(seed) }
  const root = join(import.meta.dirname, '../..')
  const child = spawn(process.execPath, ['test/run.ts', 'all', ...suites], { cwd: root, env, stdio: 'inherit' })
  assert.deepEqual(await once(child, 'exit'), [0, null])
})
