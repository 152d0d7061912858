import { writeFileSync } from 'node:fs'
import { after, afterEach, beforeEach } from 'node:test'
import { stateFileOf } from './watch.ts'

/* Loaded into every process of the suite before its file: reports to the watching runner what it is doing. */

const file = stateFileOf(process.pid)
if (file !== null) {
  const running = new Set<string>()
  let hasEnded = false
  const tell = () => {
    const resources = hasEnded ? process.getActiveResourcesInfo() : []
    writeFileSync(file, JSON.stringify({ path: process.argv[1], running: [...running], hasEnded, resources }))
  }
  tell()
  // Fake timers of tests do not affect this one.
  setInterval(tell, 5_000).unref()
  beforeEach((t) => {
    running.add(t.fullName)
    tell()
  })
  afterEach((t) => {
    running.delete(t.fullName)
    tell()
  })
  after(() => {
    hasEnded = true
    tell()
  })
}
