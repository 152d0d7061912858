import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { environment, readConfig } from '../config/config.ts'
import { workerUrlOf } from '../config/worker-url.ts'
import { describeFailure } from '../lib/failure.ts'
import { watchSignals } from '../process/signals.ts'

/* `npm start`: both programs as child processes on this terminal; if one exits, so does the other. */

const env = { ...environment() }
try {
  const config = readConfig()
  env.STATUS_WORKER_URL = config.STATUS_WORKER_URL?.join() ?? workerUrlOf(config)
} catch (error) {
  process.stderr.write(`menagerie: ${describeFailure(error) ?? (error as Error).stack}\n`)
  process.exit(1)
}

const children = ['./api.ts', './status-worker.ts'].map((file) =>
  spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url))], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  }),
)
let stopping = false
let exitCode = 0

const send = (signal: NodeJS.Signals) => {
  for (const child of children) if (isRunning(child)) child.kill(signal)
}
const isRunning = (child: ChildProcess) => child.exitCode === null && child.signalCode === null

for (const child of children) {
  child.on('exit', (code, signal) => {
    // A child that was stopped before it installed its signal handlers exits by the signal.
    const isExpected = stopping && (code === 0 || signal === 'SIGTERM' || signal === 'SIGINT')
    if (!isExpected) exitCode = 1
    if (!stopping) send('SIGTERM')
    stopping = true
    if (!children.some(isRunning)) process.exit(exitCode)
  })
}

watchSignals({
  stop() {
    stopping = true
    send('SIGTERM')
  },
  force() {
    exitCode = 1
    send('SIGKILL')
  },
})
