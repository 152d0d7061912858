import { writeFileSync } from 'node:fs'
import { after, afterEach, beforeEach } from 'node:test'
import { stateFileOf } from './watch.ts'

/* Loaded into every process of the suite before its file: tells the runner, which watches over it, what it is doing. */

const file = stateFileOf(process.pid)
if (file !== null) {
  const running = new Set<string>()
  let hasEnded = false
  const tell = () => writeFileSync(file, JSON.stringify({ path: process.argv[1], running: [...running], hasEnded }))
  tell()
  // Nothing that a test puts in place of the timers reaches this one.
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
