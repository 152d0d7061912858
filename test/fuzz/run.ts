import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationsOf } from './document.ts'
import { only, seconds, seed } from './options.ts'
import { fuzzRoutes } from './routes.ts'
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
