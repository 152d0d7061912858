import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { isatty } from 'node:tty'
import { type Config, environment, loadEnvironment, readConfig } from '../config/config.ts'
import { workerUrlOf } from '../config/worker-url.ts'
import { describeFailure } from '../lib/failure.ts'
import { childFlag, hasWarnings, logEnvironment } from './environment.ts'
import { writeFatal } from './fatal.ts'
import { watchSignals } from './signals.ts'

/** `npm start`, `menagerie start`: both programs as child processes on this terminal; if one exits, both do. */
export async function main(): Promise<void> {
  // Whoever closes this terminal stops the service; nohup, setsid and service managers leave no terminal here.
  const stopsOnHangup = [0, 1, 2].some((descriptor) => isatty(descriptor))
  let workerUrl: string
  try {
    const envFile = loadEnvironment()
    const config = readConfig()
    workerUrl = config.STATUS_WORKER_URL?.join() ?? workerUrlOf(config)
    if (envFile !== null || hasWarnings(environment())) await say(config, envFile)
  } catch (error) {
    writeFatal(`menagerie: ${describeFailure(error) ?? (error as Error).stack}`)
    process.exit(1)
  }

  const env = { ...environment(), STATUS_WORKER_URL: workerUrl }
  const programs = ['api', 'status-worker']
  const children = programs.map((name) =>
    spawn(process.execPath, [join(import.meta.dirname, '../bin', `${name}.js`), childFlag], {
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

  for (const [index, child] of children.entries()) {
    child.on('exit', (code, signal) => {
      if (signal !== null && !stopping)
        writeFatal(`menagerie: ${programs[index]} was ended by ${signal}, so the service stops`)
      // A child that is stopped before it has installed its signal handlers exits by the signal.
      const isExpected = stopping && (code === 0 || ['SIGTERM', 'SIGINT', 'SIGHUP'].includes(signal ?? ''))
      if (!isExpected) exitCode = 1
      if (!stopping) send('SIGTERM')
      stopping = true
      if (!children.some(isRunning)) process.exit(exitCode)
    })
  }

  watchSignals({
    stopsOnHangup,
    stop() {
      stopping = true
      send('SIGTERM')
    },
    force() {
      exitCode = 1
      send('SIGKILL')
    },
  })
}

/** Loads the logger only here: this process does not otherwise need it. */
async function say(config: Config, envFile: string | null): Promise<void> {
  const [{ createLogs }, { terminalSink }, { systemClock }] = await Promise.all([
    import('./logger.ts'),
    import('./log-sink.ts'),
    import('../lib/clock.ts'),
  ])
  const { stdout } = process
  const sink = stdout.isTTY ? terminalSink() : { write: (line: string) => void stdout.write(line), flush() {} }
  logEnvironment(createLogs(config.LOG_LEVEL, systemClock, sink).log, environment(), envFile)
}
