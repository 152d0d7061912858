import { readFileSync, writeSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { after, afterEach, describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Trial } from './try-mutants.ts'

/* One process for each mutant: its source takes the place of the file, and the first test that fails ends it. */

/** A pipe: gets the CPU time in seconds, if the file was loaded. */
const report = 3

const { path, source, tests }: Trial = JSON.parse(readFileSync(0, 'utf8'))
const target = pathToFileURL(path).href
let isLoaded = false
registerHooks({
  load(url, context, next) {
    if (url !== target) return next(url, context)
    isLoaded = true
    return { format: 'module', source, shortCircuit: true }
  },
})
afterEach((t) => {
  if ('passed' in t && !t.passed) process.exit(1)
})

for (const test of tests) {
  const { promise, resolve } = Promise.withResolvers<void>()
  describe(test, async () => {
    after(() => resolve())
    await import(pathToFileURL(test).href)
  })
  await promise
}
process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  if (isLoaded) writeSync(report, String((user + system) / 1e6))
})
